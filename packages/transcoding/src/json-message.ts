import { create, type DescField, type DescMessage, fromJson, type Message, type Registry } from '@bufbuild/protobuf';
import { AnySchema, anyPack, hasCustomJsonRepresentation, ListValueSchema, ValueSchema } from '@bufbuild/protobuf/wkt';
import { InvalidValue } from './errors.ts';
import { isDigit, type JsonText, type JsonValue, setOwn } from './json-text.ts';
import { nearestOf } from './nearest.ts';
import { enumReader, isPlainInteger, longAsString, type ScalarReader, scalarReader } from './scalars.ts';
import { isUnwrapped, messageFromText, wrappedScalar } from './well-known.ts';

/** Reads the next JSON value into its local form. Only receives `null` where that has a meaning. */
type ValueReader = (json: JsonText) => unknown;

/** Reads the next JSON value into a field of the message; `null` leaves the field unset. */
export type FieldReader = (json: JsonText, message: Local) => void;

/** A message as its reader sees it: fields under their local names. */
export type Local = Message & Record<string, unknown>;

/** A oneof's local form. */
interface Choice {
  case: string | undefined;
  value?: unknown;
}

interface MessageReader {
  desc: DescMessage;
  /** Fields by lowerCamelCase and by snake_case name. */
  fields: Map<string, { name: string; index: number; read: FieldReader }>;
}

/**
 * Readers of messages from JSON text, created once from descriptors. Unlike protobuf-es' `fromJson`, they see the text: 64-bit
 * numbers stay exact, duplicate names are detected, and every fault names its field and place. They also refuse what it lets
 * pass: days that do not exist, junk after a duration.
 */
export class JsonReaders {
  private readonly registry: Registry;
  private readonly readers = new Map<DescMessage, MessageReader>();

  constructor(registry: Registry) {
    this.registry = registry;
  }

  /** A function that reads an object into a message. */
  message(desc: DescMessage): (json: JsonText, message: Local) => void {
    if (hasCustomJsonRepresentation(desc)) {
      const read = this.messageValue(desc);
      return (json, message) => Object.assign(message, read(json));
    }
    const reader = this.reader(desc);
    return (json, message) => readMembers(reader, json, message, undefined);
  }

  /** A function that reads a value into one field. */
  field(field: DescField): FieldReader {
    const { localName } = field;
    if (field.fieldKind === 'map') {
      const read = this.mapValue(field);
      return (json, message) => {
        if (!isNull(json)) read(json, message[localName] as object);
      };
    }
    const read = this.fieldValue(field);
    const set = setter(field);
    if (field.fieldKind !== 'list' && takesNull(field)) return (json, message) => set(message, read(json));
    return (json, message) => {
      if (!isNull(json)) set(message, read(json));
    };
  }

  private reader(desc: DescMessage): MessageReader {
    const known = this.readers.get(desc);
    if (known) return known;
    const made: MessageReader = { desc, fields: new Map() };
    // Before its fields, since a message may contain itself.
    this.readers.set(desc, made);
    desc.fields.forEach((field, index) => {
      const entry = { name: field.jsonName, index, read: this.field(field) };
      made.fields.set(field.name, entry).set(field.jsonName, entry);
    });
    return made;
  }

  private fieldValue(field: Exclude<DescField, { fieldKind: 'map' }>): ValueReader {
    switch (field.fieldKind) {
      case 'scalar':
        return scalarValue(scalarReader(field.scalar, longAsString(field)));
      case 'enum':
        return enumValue(field);
      case 'message':
        return this.messageValue(field.message, field);
      case 'list':
        return this.listValue(field);
    }
  }

  private listValue(field: DescField & { fieldKind: 'list' }): ValueReader {
    const read = this.element(field);
    const nullMeansSomething = takesNull(field);
    return (json) => {
      if (json.peek() !== 91) throw notA(json, 'an array');
      const list: unknown[] = [];
      if (!json.enter(93)) return list;
      do {
        const start = json.start();
        const first = json.peek();
        try {
          if (first === 110 && !nullMeansSomething) throw new InvalidValue('must not be null');
          list.push(read(json));
        } catch (error) {
          throw located(error, `[${list.length}]`, start);
        }
      } while (json.more(93));
      return list;
    };
  }

  private mapValue(field: DescField & { fieldKind: 'map' }): (json: JsonText, map: object) => void {
    const read = this.element(field);
    const readKey = scalarReader(field.mapKey, false);
    const nullMeansSomething = takesNull(field);
    return (json, map) => {
      if (json.peek() !== 123) throw notA(json, 'an object');
      if (!json.enter(125)) return;
      do {
        const start = json.start();
        const name = json.name();
        const first = json.peek();
        try {
          const key = mapKey(name, readKey);
          if (Object.hasOwn(map, key)) throw new InvalidValue('is given twice', start);
          if (first === 110 && !nullMeansSomething) throw new InvalidValue('must not be null');
          setOwn(map, key, read(json));
        } catch (error) {
          throw located(error, `[${JSON.stringify(name)}]`, start);
        }
      } while (json.more(125));
    };
  }

  private element(field: DescField & { fieldKind: 'list' | 'map' }): ValueReader {
    const kind = field.fieldKind === 'list' ? field.listKind : field.mapKind;
    if (kind === 'message' && field.message) return this.messageValue(field.message, field);
    if (kind === 'enum') return enumValue(field);
    if (field.scalar === undefined) throw new Error(`${field}: no type`);
    return scalarValue(scalarReader(field.scalar, longAsString(field)));
  }

  private messageValue(desc: DescMessage, field?: DescField): ValueReader {
    const fromText = messageFromText(desc);
    if (fromText) return (json) => fromText(stringValue(json, 'a string'));
    const wrapped = wrappedScalar(desc);
    if (wrapped) {
      const read = scalarValue(wrapped.reader);
      if (field && isUnwrapped(field)) return read;
      return (json) => Object.assign(create(desc), { [wrapped.localName]: read(json) });
    }
    switch (desc.typeName) {
      case 'google.protobuf.Value':
        return (json) => fromJson(ValueSchema, json.value(), deep);
      case 'google.protobuf.ListValue':
        return (json) => fromJson(ListValueSchema, expectArray(json), deep);
      case 'google.protobuf.Struct':
        // protobuf-es represents a Struct field as the plain object.
        return field ? expectObject : (json) => fromJson(desc, expectObject(json), deep);
      case 'google.protobuf.Any':
        return (json) => this.any(json);
    }
    const reader = this.reader(desc);
    return (json) => {
      const message = create(desc) as Local;
      readMembers(reader, json, message, undefined);
      return message;
    };
  }

  // First as plain JSON, to find the type wherever it is; then again as that type.
  private any(json: JsonText): Message {
    const any = create(AnySchema);
    const start = json.start();
    const object = expectObject(json);
    const end = json.at;
    if (Object.keys(object).length === 0) return any;
    const url = object['@type'];
    const desc = typeof url === 'string' ? this.registry.getMessage(url.slice(url.lastIndexOf('/') + 1)) : undefined;
    if (!desc) throw new InvalidValue('must name a known type in "@type"', start);
    const message = create(desc) as Local;
    json.at = start;
    if (hasCustomJsonRepresentation(desc)) {
      const read = this.message(desc);
      const entry = { name: 'value', index: 0, read };
      readMembers({ desc, fields: new Map([['value', entry]]) }, json, message, '@type');
    } else {
      readMembers(this.reader(desc), json, message, '@type');
    }
    json.at = end;
    anyPack(desc, message, any);
    return any;
  }
}

/** Sets a field of a new message. Refuses a oneof that is already set. */
export function setter(field: DescField): (message: Local, value: unknown) => void {
  const { localName, oneof } = field;
  if (!oneof) {
    return (message, value) => {
      message[localName] = value;
    };
  }
  const oneofName = oneof.localName;
  const names = oneof.fields.map((member) => member.jsonName).join(', ');
  return (message, value) => {
    if ((message[oneofName] as Choice).case !== undefined) throw new InvalidValue(`only one of ${names} may be set`);
    message[oneofName] = { case: localName, value };
  };
}

/** The field's local value, or undefined if unset. */
export function getter(field: DescField): (message: Local) => unknown {
  const { localName, oneof } = field;
  if (!oneof) return (message) => message[localName];
  return (message) => {
    const choice = message[oneof.localName] as Choice;
    return choice.case === localName ? choice.value : undefined;
  };
}

function readMembers(reader: MessageReader, json: JsonText, message: Local, skip: string | undefined): void {
  if (json.peek() !== 123) throw notA(json, 'an object');
  if (!json.enter(125)) return;
  // One bit for each of the first 31 fields; messages with more also need a set.
  let seen = 0;
  let seenToo: Set<number> | undefined;
  do {
    const start = json.start();
    const key = json.name();
    const field = reader.fields.get(key);
    if (field === undefined) {
      if (key === skip) {
        json.value();
        continue;
      }
      throw new InvalidValue(`is not a known field${hintOf(key, reader.desc)}`, start).within(key);
    }
    const valueStart = json.start();
    try {
      if (field.index < 31) {
        const bit = 1 << field.index;
        if (seen & bit) throw new InvalidValue('is given twice', start);
        seen |= bit;
      } else {
        seenToo ??= new Set();
        if (seenToo.has(field.index)) throw new InvalidValue('is given twice', start);
        seenToo.add(field.index);
      }
      field.read(json, message);
    } catch (error) {
      throw located(error, field.name, valueStart);
    }
  } while (json.more(125));
}

/** The field that an unknown name may have been meant to be, perhaps one level further down. */
function hintOf(name: string, desc: DescMessage): string {
  const inner = desc.fields.flatMap((field) =>
    field.fieldKind === 'message' && !hasCustomJsonRepresentation(field.message)
      ? field.message.fields.map(({ jsonName }) => ({ place: `${field.jsonName}.${jsonName}`, jsonName }))
      : [],
  );
  const near =
    nearestOf(
      name,
      desc.fields.map(({ jsonName }) => jsonName),
    ) ?? inner.find(({ jsonName }) => jsonName === name)?.place;
  return near === undefined ? '' : `; perhaps ${near} is meant`;
}

function located(error: unknown, name: string, offset: number): unknown {
  if (!(error instanceof InvalidValue)) return error;
  error.offset ??= offset;
  return error.within(name);
}

// protobuf-es counts a level per value and per list; the text's own nesting is already limited.
const deep = { recursionLimit: 1000 };

function scalarValue({ wanted, takes, fromText }: ScalarReader): ValueReader {
  if (takes === 'string') {
    if (wanted === 'a string') return (json) => stringValue(json, wanted);
    return (json) => fromText(stringValue(json, wanted));
  }
  if (takes === 'boolean') {
    return (json) => {
      if (json.word('true')) return true;
      if (json.word('false')) return false;
      throw notA(json, wanted);
    };
  }
  return (json) => {
    const code = json.peek();
    if (code === 34) return fromText(json.string());
    if (code === 45 || isDigit(code)) return fromText(json.number());
    throw notA(json, wanted);
  };
}

function enumValue(field: DescField): ValueReader {
  if (!field.enum) throw new Error(`${field}: not an enum`);
  const fromText = enumReader(field.enum);
  const isNullValue = field.enum.typeName === 'google.protobuf.NullValue';
  return (json) => {
    const code = json.peek();
    if (code === 34) {
      const start = json.at;
      const text = json.string();
      // A number must not be quoted.
      if (isPlainInteger(text)) throw new InvalidValue(`must be the name of a value, or a number`, start);
      return fromText(text);
    }
    if (code === 45 || isDigit(code)) return fromText(json.number());
    if (isNullValue && json.word('null')) return 0;
    throw notA(json, 'the name of an enum value');
  };
}

function stringValue(json: JsonText, wanted: string): string {
  if (json.peek() !== 34) throw notA(json, wanted);
  return json.string();
}

// A value of another type is reported as a single mistake of the caller; anything else as broken JSON.
function notA(json: JsonText, wanted: string): InvalidValue {
  const start = json.start();
  json.value();
  return new InvalidValue(`must be ${wanted}`, start);
}

function expectObject(json: JsonText): { [key: string]: JsonValue } {
  if (json.peek() !== 123) throw notA(json, 'an object');
  return json.value() as { [key: string]: JsonValue };
}

function expectArray(json: JsonText): JsonValue[] {
  if (json.peek() !== 91) throw notA(json, 'an array');
  return json.value() as JsonValue[];
}

// Keys are strings in JSON; protobuf-es stores them in decimal form, or as "true" or "false".
function mapKey(name: string, { takes, fromText }: ScalarReader): string {
  if (takes === 'string') return name;
  if (takes === 'number' && !isPlainInteger(name)) throw new InvalidValue('must have integers as names');
  return String(fromText(name));
}

// Only these have a value that JSON writes as null.
function takesNull(field: DescField): boolean {
  return field.message?.typeName === 'google.protobuf.Value' || field.enum?.typeName === 'google.protobuf.NullValue';
}

function isNull(json: JsonText): boolean {
  return json.peek() === 110 && json.word('null');
}
