import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import { DurationSchema, FieldMaskSchema, isWrapperDesc, TimestampSchema } from '@bufbuild/protobuf/wkt';
import { InvalidValue } from './errors.ts';
import { type ScalarReader, scalarReader } from './scalars.ts';

const textReaders: Record<string, (text: string) => Message> = {
  'google.protobuf.Timestamp': readTimestamp,
  'google.protobuf.Duration': readDuration,
  'google.protobuf.FieldMask': readFieldMask,
};

/** The reader of a message type that JSON writes as a string: timestamps, durations, field masks. */
export function messageFromText(desc: DescMessage): ((text: string) => Message) | undefined {
  return textReaders[desc.typeName];
}

/** The scalar in a wrapper type (`google.protobuf.StringValue` and its like). */
export function wrappedScalar(desc: DescMessage): { reader: ScalarReader; localName: string } | undefined {
  const field = desc.fields[0];
  if (!isWrapperDesc(desc) || field?.fieldKind !== 'scalar') return undefined;
  return { reader: scalarReader(field.scalar, false), localName: field.localName };
}

/** Whether the field holds the wrapper's scalar instead of the wrapper, as in protobuf-es. */
export function isUnwrapped(field: DescField): boolean {
  return field.fieldKind === 'message' && field.oneof === undefined && isWrapperDesc(field.message);
}

const timestampGrammar =
  /^([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.([0-9]{1,9}))?(?:Z|([+-])([0-9]{2}):([0-9]{2}))$/;

/** For a Timestamp: the years 1 to 9999. */
export const secondsMin = -62_135_596_800;
export const secondsMax = 253_402_300_799;

/** RFC 3339 with years 1 to 9999. Days that the month does not have are refused, not carried over. */
export function readTimestamp(text: string): Message {
  const match = timestampGrammar.exec(text);
  if (!match) throw new InvalidValue('must be an RFC 3339 time such as "2026-01-31T12:00:00Z"');
  const part = (index: number) => Number(match[index] ?? 0);
  const [year, month, day, hour, minute, second] = [part(1), part(2), part(3), part(4), part(5), part(6)];
  // Years below 100 would be read as 19xx; 400 years later the calendar is the same.
  const milliseconds = Date.UTC(year + 400, month - 1, day, hour, minute, second);
  const exists = month >= 1 && month <= 12 && day >= 1 && new Date(milliseconds).getUTCDate() === day;
  if (!exists || hour > 23 || minute > 59 || second > 59 || part(9) > 23 || part(10) > 59)
    throw new InvalidValue('must be a time that exists');
  const offset = (part(9) * 60 + part(10)) * (match[8] === '-' ? -60 : 60);
  const seconds = milliseconds / 1000 - secondsIn400Years - offset;
  if (seconds < secondsMin || seconds > secondsMax) throw new InvalidValue('must be within the years 1 to 9999');
  return create(TimestampSchema, { seconds: BigInt(seconds), nanos: nanos(match[7]) });
}

const secondsIn400Years = 12_622_780_800;
/** For a Duration, and the same below zero; a fraction may be added (google/protobuf/duration.proto). */
export const durationSecondsMax = 315_576_000_000;

function readDuration(text: string): Message {
  const match = /^(-?)([0-9]{1,12})(?:\.([0-9]{1,9}))?s$/.exec(text);
  if (!match) throw new InvalidValue('must be a duration in seconds such as "1.5s"');
  const seconds = Number(match[2]);
  const fraction = nanos(match[3]);
  if (seconds > durationSecondsMax) throw new InvalidValue(`must be within ${durationSecondsMax} seconds`);
  const sign = match[1] === '-' ? -1 : 1;
  return create(DurationSchema, { seconds: BigInt(seconds * sign), nanos: fraction * sign + 0 });
}

// lowerCamelCase as JSON writes it, or snake_case as everywhere in our input; in a form that converts back.
function readFieldMask(text: string): Message {
  if (text === '') return create(FieldMaskSchema);
  const paths = text.split(',').map((path) => {
    if (/^[a-z][a-z0-9]*([_.][a-z][a-z0-9]*)*$/.test(path)) return path;
    if (!/^[a-z][a-zA-Z0-9]*(\.[a-z][a-zA-Z0-9]*)*$/.test(path))
      throw new InvalidValue('must be field paths separated by commas, such as "displayName,owner.id"');
    return path.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  });
  return create(FieldMaskSchema, { paths });
}

function nanos(digits: string | undefined): number {
  return digits === undefined ? 0 : Number(digits.padEnd(9, '0'));
}
