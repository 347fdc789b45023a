import { type DescEnum, type DescField, ScalarType } from '@bufbuild/protobuf';
import { InvalidValue } from './errors.ts';

/** Turns a value's text (a JSON string's content, a query or path value) into a field's local form. */
export type TextReader = (text: string) => unknown;

/** How values of one scalar type are read. */
export interface ScalarReader {
  /** What a value must be, for error messages. */
  wanted: string;
  /** The JSON form that the type accepts. */
  takes: 'string' | 'number' | 'boolean';
  /** From a string's content, or a number as written. */
  fromText: TextReader;
}

const int32Min = -2_147_483_648;
const int32Max = 2_147_483_647;

/** The reader of a scalar type. `longAsString` fields keep 64-bit integers as decimal strings. */
export function scalarReader(type: ScalarType, longAsString: boolean): ScalarReader {
  switch (type) {
    case ScalarType.STRING:
      return { wanted: 'a string', takes: 'string', fromText: (text) => text };
    case ScalarType.BYTES:
      return { wanted: 'a base64 string', takes: 'string', fromText: readBytes };
    case ScalarType.BOOL:
      return { wanted: 'true or false', takes: 'boolean', fromText: readBool };
    case ScalarType.DOUBLE:
      return { wanted: 'a number', takes: 'number', fromText: readDouble };
    case ScalarType.FLOAT:
      return { wanted: 'a number', takes: 'number', fromText: readFloat };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return integer32('a 32-bit integer', int32Min, int32Max);
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return integer32('an unsigned 32-bit integer', 0, 4_294_967_295);
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return integer64('a 64-bit integer', -(2n ** 63n), 2n ** 63n - 1n, longAsString);
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return integer64('an unsigned 64-bit integer', 0n, 2n ** 64n - 1n, longAsString);
  }
}

/**
 * Reads an enum value by name or number. An open enum (proto3) keeps unlisted numbers, for callers with a later version of the
 * contract; a closed one (proto2) refuses them.
 */
export function enumReader(desc: DescEnum): TextReader {
  const numbers = new Map<string, number>();
  for (const value of desc.values) numbers.set(value.name, value.number).set(value.jsonName, value.number);
  const known = new Set(desc.values.map((value) => value.number));
  // JSON writes it as null, whatever its number.
  const isOpen = desc.open && desc.typeName !== 'google.protobuf.NullValue';
  const names = desc.values.map((value) => value.jsonName).join(', ');
  return (text) => {
    const number = numbers.get(text) ?? Number(plainInteger(text) ?? Number.NaN);
    // Avoids negative zero.
    if (isOpen ? number >= int32Min && number <= int32Max : known.has(number)) return number + 0;
    throw new InvalidValue(`must be one of ${names}`);
  };
}

export function longAsString(field: DescField): boolean {
  return 'longAsString' in field && field.longAsString === true;
}

/** The plain decimal form of an integer in JSON's number grammar (`1.0` and `1e2` are integers), otherwise undefined. */
export function plainInteger(text: string): string | undefined {
  if (isPlainInteger(text)) return text;
  const match = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]{1,3}))?$/.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', exponentText = '0'] = match;
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return '0';
  const exponent = Number(exponentText) - fraction.length;
  // Longer than any integer field accepts; this also bounds the work.
  if (digits.length + exponent > 40) return undefined;
  if (exponent >= 0) return sign + digits + '0'.repeat(exponent);
  const kept = digits.slice(0, exponent);
  return /^0+$/.test(digits.slice(exponent)) && kept !== '' ? sign + kept : undefined;
}

/** `(-)(0|[1-9][0-9]*)`. */
export function isPlainInteger(text: string): boolean {
  const start = text.charCodeAt(0) === 45 ? 1 : 0;
  const first = text.charCodeAt(start);
  if (first === 48) return text.length === start + 1;
  if (!(first >= 49 && first <= 57)) return false;
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) return false;
  }
  return true;
}

function integer32(wanted: string, min: number, max: number): ScalarReader {
  const fault = `must be ${wanted} (${min} to ${max})`;
  return {
    wanted,
    takes: 'number',
    fromText: (text) => {
      const plain = plainInteger(text);
      const value = plain === undefined ? Number.NaN : Number(plain);
      if (!(value >= min && value <= max)) throw new InvalidValue(fault);
      // Avoids negative zero.
      return value + 0;
    },
  };
}

function integer64(wanted: string, min: bigint, max: bigint, asString: boolean): ScalarReader {
  const fault = `must be ${wanted} (${min} to ${max})`;
  return {
    wanted,
    takes: 'number',
    fromText: (text) => {
      const plain = plainInteger(text);
      if (plain === undefined || plain.length > 40) throw new InvalidValue(fault);
      const value = BigInt(plain);
      if (value < min || value > max) throw new InvalidValue(fault);
      return asString ? value.toString() : value;
    },
  };
}

function readBool(text: string): boolean {
  if (text === 'true') return true;
  if (text === 'false') return false;
  throw new InvalidValue('must be true or false');
}

const numberGrammar = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?$/;

function readDouble(text: string): number {
  if (text === 'NaN') return Number.NaN;
  if (text === 'Infinity') return Number.POSITIVE_INFINITY;
  if (text === '-Infinity') return Number.NEGATIVE_INFINITY;
  if (!numberGrammar.test(text)) throw new InvalidValue('must be a number');
  const value = Number(text);
  if (!Number.isFinite(value)) throw new InvalidValue('is out of the range of a double');
  return value;
}

function readFloat(text: string): number {
  const value = readDouble(text);
  if (Number.isFinite(value) && !Number.isFinite(Math.fround(value)))
    throw new InvalidValue('is out of the range of a 32-bit float');
  return value;
}

function readBytes(text: string): Uint8Array {
  const bytes = bytesOfBase64(text);
  if (!bytes) throw new InvalidValue('must be base64');
  return bytes;
}

/** What standard or URL-safe base64 stands for, padded or not; undefined if it is none. A third of the time that a pattern takes. */
export function bytesOfBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0;
  const length = text.length - padding;
  const bytes = Buffer.from(text, 'base64');
  // Buffer skips anything that is not base64, so a foreign character makes the result shorter.
  const complete = bytes.length === Math.floor((length * 3) / 4) && length % 4 !== 1;
  if (!complete || (padding > 0 && text.length % 4 !== 0)) return undefined;
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
}
