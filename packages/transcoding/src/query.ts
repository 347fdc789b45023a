import { create, type DescField, type DescMessage, type Message } from '@bufbuild/protobuf';
import { hasCustomJsonRepresentation, isWrapperDesc } from '@bufbuild/protobuf/wkt';
import { InvalidValue, invalidArgument } from './errors.ts';
import { type Local, setter } from './json-message.ts';
import { percentDecode } from './percent.ts';
import { createPrintableChecks, type PrintableCheck } from './printable.ts';
import { enumReader, longAsString, scalarReader, type TextReader } from './scalars.ts';
import { isUnwrapped, messageFromText, wrappedScalar } from './well-known.ts';

/** A field that a query parameter or a path variable can set, possibly deep in the request. */
export interface TextField {
  /** Its path in lowerCamelCase, however the caller wrote it. */
  name: string;
  /** The fields from the request down to it. */
  path: DescField[];
  /** Part of a type that JSON writes as text, such as `time.seconds`; the whole may have no JSON form. */
  isPart: boolean;
  repeated: boolean;
  read: TextReader;
  set: (message: Local, value: unknown) => void;
}

/** Names of the fields that the query has set; with a trailing dot, those of which it has set parts. */
export type Seen = Set<string>;

/** Finds a field by its path in lowerCamelCase or snake_case. A string result says what is wrong with the path. */
export function textField(desc: DescMessage, path: readonly string[]): TextField | string {
  const fields: DescField[] = [];
  let parent: DescMessage | undefined = desc;
  for (const name of path) {
    const field: DescField | undefined = parent?.fields.find((each) => each.name === name || each.jsonName === name);
    if (!field) return 'is not a known field';
    // A wrapper and its value count as one.
    if (!parent || parent === desc || !isWrapperDesc(parent)) fields.push(field);
    parent = field.fieldKind === 'message' && hasFields(field.message) ? field.message : undefined;
  }
  const last = fields.at(-1);
  if (!last) return 'is not a known field';
  const read = textReader(last);
  if (typeof read === 'string') return read;
  return {
    name: fields.map((field) => field.jsonName).join('.'),
    path: fields,
    isPart: fields.some((field) => field !== last && field.message !== undefined && isText(field.message)),
    repeated: last.fieldKind === 'list',
    read,
    set: last.fieldKind === 'list' ? appender(last) : setter(last),
  };
}

/** Whether its fields can be named individually. */
function hasFields(desc: DescMessage): boolean {
  return !hasCustomJsonRepresentation(desc) || isText(desc) || isWrapperDesc(desc);
}

function isText(desc: DescMessage): boolean {
  return messageFromText(desc) !== undefined;
}

/** The message that holds the field, created if missing. */
export function holder(message: Local, path: readonly DescField[]): Local {
  let at = message;
  for (let index = 0; index < path.length - 1; index++) at = step(at, path[index] as DescField);
  return at;
}

/** Reads query parameters into messages of one type. */
export class QueryReader {
  private readonly desc: DescMessage;
  /** The top-level field that the body sets. */
  private readonly taken: string | undefined;
  private readonly checkPrintable: PrintableCheck | undefined;
  private readonly known = new Map<string, TextField>();

  constructor(desc: DescMessage, bodyField: DescField | undefined) {
    this.desc = desc;
    this.taken = bodyField?.name;
    this.checkPrintable = createPrintableChecks()(desc);
  }

  read(query: string, message: Local): Seen {
    const seen: Seen = new Set();
    let hasParts = false;
    for (let at = 0; at <= query.length; ) {
      const next = query.indexOf('&', at);
      const end = next < 0 ? query.length : next;
      if (end > at && this.parameter(query.slice(at, end), message, seen).isPart) hasParts = true;
      at = end + 1;
    }
    const fault = hasParts ? this.checkPrintable?.(message) : undefined;
    if (fault) throw invalidArgument(fault.field, fault.description);
    return seen;
  }

  private parameter(text: string, message: Local, seen: Seen): TextField {
    const equals = text.indexOf('=');
    const name = decode(equals < 0 ? text : text.slice(0, equals));
    const value = equals < 0 ? '' : decode(text.slice(equals + 1));
    if (name === undefined) throw invalidArgument('query', 'has a bad percent-escape in the name of a parameter');
    if (value === undefined) throw invalidArgument(shown(name), 'has a bad percent-escape');
    const field = this.field(name);
    try {
      if (!field.repeated && seen.has(field.name)) throw new InvalidValue('is given twice');
      if (isSeenElsewhere(field, seen)) throw new InvalidValue('is given as a whole and in parts');
      see(field, seen);
      field.set(holder(message, field.path), field.read(value));
      return field;
    } catch (error) {
      if (error instanceof InvalidValue) throw invalidArgument(field.name, error.message);
      throw error;
    }
  }

  private field(name: string): TextField {
    const known = this.known.get(name);
    if (known) return known;
    const field = textField(this.desc, name.split('.'));
    if (typeof field === 'string') throw invalidArgument(shown(name), field);
    if (field.path[0]?.name === this.taken) throw invalidArgument(field.name, 'belongs in the body');
    // Recursive types have infinitely many paths.
    if (this.known.size < knownMax) this.known.set(name, field);
    return field;
  }
}

function see({ name, isPart }: TextField, seen: Seen): void {
  seen.add(name);
  if (isPart) seen.add(name.slice(0, name.lastIndexOf('.') + 1));
}

function isSeenElsewhere({ name, isPart }: TextField, seen: Seen): boolean {
  return seen.has(isPart ? name.slice(0, name.lastIndexOf('.')) : `${name}.`);
}

const knownMax = 256;
const nameCharactersMax = 200;

function shown(name: string): string {
  return name.length > nameCharactersMax ? `${name.slice(0, nameCharactersMax)}...` : name;
}

// As written by forms and URLSearchParams: here, unlike in a path, a plus is a space.
function decode(text: string): string | undefined {
  return percentDecode(text.includes('+') ? text.replaceAll('+', ' ') : text);
}

function textReader(field: DescField): TextReader | string {
  const { scalar, enum: descEnum, message } = field;
  if (field.fieldKind === 'map') return 'is a map, which only a body can set';
  if (scalar !== undefined) return spacesArePluses(scalarReader(scalar, longAsString(field)));
  if (descEnum) return enumReader(descEnum);
  const fromText = message && messageFromText(message);
  if (fromText) return fromText;
  const wrapped = message && wrappedScalar(message);
  if (!message || !wrapped) return 'is a message; name a field within it, or use a body';
  const read = spacesArePluses(wrapped.reader);
  if (isUnwrapped(field)) return read;
  return (text) => Object.assign(create(message), { [wrapped.localName]: read(text) });
}

// Base64 has pluses but no spaces, and callers forget to escape pluses.
function spacesArePluses({ wanted, fromText }: { wanted: string; fromText: TextReader }): TextReader {
  return wanted === 'a base64 string' ? (text) => fromText(text.replaceAll(' ', '+')) : fromText;
}

function appender(field: DescField): (message: Local, value: unknown) => void {
  const { localName } = field;
  return (message, value) => {
    (message[localName] as unknown[]).push(value);
  };
}

/** The message in a field of message type, created if missing. */
export function step(message: Local, field: DescField): Local {
  if (!field.message) throw new Error(`${field}: not a message`);
  const { localName, oneof } = field;
  if (!oneof) {
    message[localName] ??= create(field.message);
    return message[localName] as Local;
  }
  const choice = message[oneof.localName] as { case: string | undefined; value?: Message };
  if (choice.case === localName) return choice.value as Local;
  const made = create(field.message) as Local;
  setter(field)(message, made);
  return made;
}
