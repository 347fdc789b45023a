import type { DescField, DescMessage, Message } from '@bufbuild/protobuf';
import type { Duration, FieldMask, Timestamp, Value } from '@bufbuild/protobuf/wkt';
import type { Violation } from './errors.ts';
import { getter, type Local } from './json-message.ts';
import { durationSecondsMax, secondsMax, secondsMin } from './well-known.ts';

/** The first field that JSON cannot express; undefined if the message can be printed. */
export type PrintableCheck = (message: Message) => Violation | undefined;

/** A fault's path grows from the inside out: field names, and `[...]` for elements. */
interface Fault {
  path: string;
  description: string;
}

type Check = (value: never) => Fault | undefined;

/**
 * Creates checks for message types: whether a message that came in binary form can also be expressed in JSON. A `Value` without a
 * kind cannot, nor can NaN and Infinity in a `Value` or `Struct`, nor times, durations and field masks that break the rules of
 * their types. Undefined for types that contain none of these.
 */
export function createPrintableChecks(): (desc: DescMessage) => PrintableCheck | undefined {
  const checks = new Map<DescMessage, Check>();

  function checkOf(desc: DescMessage): Check {
    const known = checks.get(desc);
    if (known) return known;
    const own = ownChecks[desc.typeName];
    const fields: ((message: Local) => Fault | undefined)[] = [];
    const check = (message: Local): Fault | undefined => {
      const fault = own?.(message as never);
      if (fault) return fault;
      for (const field of fields) {
        const within = field(message);
        if (within) return within;
      }
      return undefined;
    };
    // Before its fields, since a message may contain itself.
    checks.set(desc, check);
    for (const field of desc.fields)
      if (field.message && canFail(field.message)) fields.push(fieldCheck(field, field.message));
    return check;
  }

  function fieldCheck(field: DescField, message: DescMessage): (holder: Local) => Fault | undefined {
    // protobuf-es represents a Struct field as a plain object.
    const check =
      message.typeName === structName ? plainFault : (checkOf(message) as (value: unknown) => Fault | undefined);
    const get = getter(field);
    const name = field.jsonName;
    if (field.fieldKind === 'list') return (holder) => within(name, firstOf(get(holder) as unknown[], check));
    if (field.fieldKind === 'map') return (holder) => within(name, firstNamed(get(holder) as object, check));
    return (holder) => {
      const value = get(holder);
      return value === undefined ? undefined : within(name, check(value));
    };
  }

  return (desc) => {
    if (!canFail(desc)) return undefined;
    const check = checkOf(desc) as (message: Message) => Fault | undefined;
    return (message) => {
      const fault = check(message);
      return fault && { field: fault.path, description: fault.description };
    };
  };
}

const structName = 'google.protobuf.Struct';

const ownChecks: Record<string, Check> = {
  'google.protobuf.Value': ({ kind }: Value) => {
    if (kind.case === undefined) return { path: '', description: 'must have a value; null is one' };
    return kind.case === 'numberValue' ? plainFault(kind.value) : undefined;
  },
  'google.protobuf.Timestamp': ({ seconds, nanos }: Timestamp) => {
    if (seconds < secondsMin || seconds > secondsMax) return own('must be within the years 1 to 9999');
    return nanos < 0 || nanos > nanosMax ? own(`must have nanos of 0 to ${nanosMax}`) : undefined;
  },
  'google.protobuf.Duration': ({ seconds, nanos }: Duration) => {
    if (seconds < -durationSecondsMax || seconds > durationSecondsMax)
      return own(`must be within ${durationSecondsMax} seconds`);
    if (Math.abs(nanos) > nanosMax) return own(`must have nanos of -${nanosMax} to ${nanosMax}`);
    const disagree = (seconds > 0 && nanos < 0) || (seconds < 0 && nanos > 0);
    return disagree ? own('must have seconds and nanos of one sign') : undefined;
  },
  'google.protobuf.FieldMask': ({ paths }: FieldMask) => {
    // JSON writes them in lowerCamelCase, which must convert back.
    const at = paths.findIndex((path) => /[A-Z]|_(?![a-z])/.test(path));
    return at < 0
      ? undefined
      : { path: `paths[${at}]`, description: 'must be in snake_case, with a letter after each "_"' };
  },
};

const nanosMax = 999_999_999;

function own(description: string): Fault {
  return { path: '', description };
}

function plainFault(value: unknown): Fault | undefined {
  if (typeof value === 'number')
    return Number.isFinite(value) ? undefined : own('must be a finite number: JSON has no NaN and no Infinity');
  if (typeof value !== 'object' || value === null) return undefined;
  return Array.isArray(value) ? firstOf(value, plainFault) : firstNamed(value, plainFault);
}

function firstOf(list: readonly unknown[], check: (value: unknown) => Fault | undefined): Fault | undefined {
  for (let index = 0; index < list.length; index++) {
    const fault = check(list[index]);
    if (fault) return within(`[${index}]`, fault);
  }
  return undefined;
}

function firstNamed(map: object, check: (value: unknown) => Fault | undefined): Fault | undefined {
  for (const [name, value] of Object.entries(map)) {
    const fault = check(value);
    if (fault) return within(`[${JSON.stringify(name)}]`, fault);
  }
  return undefined;
}

function within(name: string, fault: Fault | undefined): Fault | undefined {
  if (!fault) return undefined;
  const dot = fault.path === '' || fault.path.startsWith('[') ? '' : '.';
  return { ...fault, path: `${name}${dot}${fault.path}` };
}

/** Whether JSON may be unable to express a message of the type. */
function canFail(desc: DescMessage, seen = new Set<DescMessage>()): boolean {
  if (desc.typeName === structName || Object.hasOwn(ownChecks, desc.typeName)) return true;
  if (seen.has(desc)) return false;
  seen.add(desc);
  return desc.fields.some(({ message }) => message !== undefined && canFail(message, seen));
}
