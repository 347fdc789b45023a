import { InvalidValue } from './errors.ts';

/** A JSON value read without a schema. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

const quote = 34;
const backslash = 92;
/** From this length, strings are not read character by character. */
const longString = 1_024;
/** Up to this length, a string with escapes is read character by character as fast as by the engine. */
const shortString = 32;
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for
const controls = /[\u0000-\u001f]/;
const minus = 45;
const zero = 48;

/**
 * Reads JSON (RFC 8259) from a well-formed text, value by value, and more strictly than `JSON.parse`: it refuses lone surrogates,
 * nesting beyond the limit and a byte order mark. Detecting duplicate names is up to the reader of an object. Every fault throws
 * a `InvalidValue` with the offset.
 */
export class JsonText {
  readonly text: string;
  at = 0;
  private depth = 0;
  private readonly depthMax: number;

  constructor(text: string, depthMax: number) {
    this.text = text;
    this.depthMax = depthMax;
    if (text.charCodeAt(0) === 0xfeff) throw new InvalidValue('must not begin with a byte order mark', 0);
  }

  /** Skips white space and returns the next character's code, NaN at the end. */
  peek(): number {
    const { text } = this;
    let code = text.charCodeAt(this.at);
    while (code === 32 || code === 10 || code === 13 || code === 9) code = text.charCodeAt(++this.at);
    return code;
  }

  /** Skips white space and returns the offset of what follows. */
  start(): number {
    this.peek();
    return this.at;
  }

  /** An error at the next character. */
  unexpected(wanted: string): InvalidValue {
    const code = this.peek();
    if (Number.isNaN(code)) return new InvalidValue(`the text ends where ${wanted} is expected`, this.at);
    const found = String.fromCodePoint(this.text.codePointAt(this.at) ?? code);
    return new InvalidValue(`found ${JSON.stringify(found)} where ${wanted} is expected`, this.at);
  }

  /** Ends reading: only white space may follow. */
  end(): void {
    if (!Number.isNaN(this.peek())) throw this.unexpected('the end of the text');
  }

  /** Enters an object or an array whose first character was seen by `peek`. False if it is empty (and already left). */
  enter(close: number): boolean {
    if (++this.depth > this.depthMax) throw new InvalidValue(`is nested deeper than ${this.depthMax} levels`, this.at);
    this.at++;
    if (this.peek() !== close) return true;
    this.at++;
    this.depth--;
    return false;
  }

  /** After an element: true if another follows, false if the object or array was closed. */
  more(close: number): boolean {
    const code = this.peek();
    if (code !== 44 && code !== close) throw this.unexpected(close === 125 ? '"," or "}"' : '"," or "]"');
    this.at++;
    if (code === 44) return true;
    this.depth--;
    return false;
  }

  /** Reads a name and its colon. */
  name(): string {
    if (this.peek() !== quote) throw this.unexpected('a name in double quotes');
    const name = this.string();
    if (this.peek() !== 58) throw this.unexpected('":"');
    this.at++;
    return name;
  }

  /** Reads a string whose opening quote was seen by `peek`. */
  string(): string {
    const { text } = this;
    const start = this.at + 1;
    let at = start;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.at = at + 1;
        return text.slice(start, at);
      }
      if (code === backslash) return this.escapedString(start, at);
      if (!(code >= 32)) throw stringFault(code, at);
      at++;
      if (at - start === longString) return this.longString(start);
    }
  }

  // Long strings, such as images, use the engine's built-in functions, which takes a third of the time.
  private longString(start: number): string {
    const { text } = this;
    let end = text.indexOf('"', start);
    if (end < 0) throw stringFault(Number.NaN, text.length);
    if (text[end - 1] === '\\' || text.slice(start, end).includes('\\')) return this.escapedString(start, start);
    const value = text.slice(start, end);
    const control = value.search(controls);
    if (control >= 0) throw stringFault(0, start + control);
    this.at = ++end;
    return value;
  }

  /** Reads a number whose first character was seen by `peek`, and returns it as written. */
  number(): string {
    const { text } = this;
    const start = this.at;
    if (text.charCodeAt(this.at) === minus) this.at++;
    if (text.charCodeAt(this.at) === zero) this.at++;
    else this.digits();
    if (text.charCodeAt(this.at) === 46) {
      this.at++;
      this.digits();
    }
    const exponent = text.charCodeAt(this.at);
    if (exponent === 101 || exponent === 69) {
      this.at++;
      const sign = text.charCodeAt(this.at);
      if (sign === 43 || sign === minus) this.at++;
      this.digits();
    }
    const next = text.charCodeAt(this.at);
    if (isDigit(next)) throw new InvalidValue('has a number with a leading zero', start);
    return text.slice(start, this.at);
  }

  /** Reads `word` if it comes next, after white space. */
  word(word: string): boolean {
    this.peek();
    if (!this.text.startsWith(word, this.at)) return false;
    this.at += word.length;
    return true;
  }

  /** Reads any value. Duplicate names are refused. */
  value(): JsonValue {
    const code = this.peek();
    switch (code) {
      case quote:
        return this.string();
      case 123:
        return this.object();
      case 91:
        return this.array();
      case 116:
        if (this.word('true')) return true;
        break;
      case 102:
        if (this.word('false')) return false;
        break;
      case 110:
        if (this.word('null')) return null;
        break;
      default:
        if (code === minus || isDigit(code)) return this.finite();
    }
    throw this.unexpected('a JSON value');
  }

  private finite(): number {
    const start = this.at;
    const value = Number(this.number());
    if (!Number.isFinite(value)) throw new InvalidValue('is out of the range of a double', start);
    return value;
  }

  private object(): { [key: string]: JsonValue } {
    const object: { [key: string]: JsonValue } = {};
    if (!this.enter(125)) return object;
    do {
      const start = this.start();
      const name = this.name();
      if (Object.hasOwn(object, name)) throw new InvalidValue(`names ${JSON.stringify(name)} twice`, start);
      setOwn(object, name, this.value());
    } while (this.more(125));
    return object;
  }

  private array(): JsonValue[] {
    const array: JsonValue[] = [];
    if (!this.enter(93)) return array;
    do {
      array.push(this.value());
    } while (this.more(93));
    return array;
  }

  private digits(): void {
    const start = this.at;
    while (isDigit(this.text.charCodeAt(this.at))) this.at++;
    if (this.at === start) throw this.unexpectedHere('a digit');
  }

  // Within a number, white space must not be skipped.
  private unexpectedHere(wanted: string): InvalidValue {
    const found = this.text.codePointAt(this.at);
    if (found === undefined) return new InvalidValue(`the text ends where ${wanted} is expected`, this.at);
    return new InvalidValue(
      `found ${JSON.stringify(String.fromCodePoint(found))} where ${wanted} is expected`,
      this.at,
    );
  }

  /** The engine's own parser takes a tenth of the time, but does not reliably report the position of a fault: then undefined. */
  private parsedString(start: number, end: number): string | undefined {
    try {
      const value = JSON.parse(this.text.slice(start - 1, end + 1)) as string;
      if (!value.isWellFormed()) return undefined;
      this.at = end + 1;
      return value;
    } catch {
      return undefined;
    }
  }

  private escapedString(start: number, firstEscape: number): string {
    const { text } = this;
    const end = stringEnd(text, firstEscape);
    const parsed = end - start > shortString ? this.parsedString(start, end) : undefined;
    if (parsed !== undefined) return parsed;
    if (end - start > longString)
      throw new InvalidValue(
        'has a string with a bad escape, a lone surrogate or a control character, or without an end',
        start - 1,
      );
    let value = text.slice(start, firstEscape);
    let at = firstEscape;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === quote) {
        this.at = at + 1;
        return value;
      }
      if (code === backslash) {
        const next = text.charCodeAt(at + 1);
        if (next === 117) {
          const end = unicodeEscapeEnd(text, at);
          value += String.fromCharCode(hexAt(text, at + 2));
          if (end === at + 12) value += String.fromCharCode(hexAt(text, at + 8));
          at = end;
        } else {
          const character = shortEscapes[next];
          if (character === undefined) throw new InvalidValue('has an unknown escape in a string', at);
          value += character;
          at += 2;
        }
        continue;
      }
      if (!(code >= 32)) throw stringFault(code, at);
      const from = at;
      at = plainEnd(text, at);
      value += text.slice(from, at);
    }
  }
}

/** The offset of the quote that ends a string, or the end of the text. */
function stringEnd(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 1)) {
    let escapes = at;
    while (escapes > from && text.charCodeAt(escapes - 1) === backslash) escapes -= 1;
    if ((at - escapes) % 2 === 0) return at;
  }
  return text.length;
}

/** Sets an own property, even one named `__proto__`. */
export function setOwn(object: object, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else (object as Record<string, unknown>)[key] = value;
}

/** The position of an offset, counting lines and columns from 1. */
export function position(text: string, offset: number): string {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) {
    line++;
    start = at + 1;
  }
  return `line ${line}, column ${offset - start + 1}`;
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

const shortEscapes: Record<number, string> = {
  34: '"',
  92: '\\',
  47: '/',
  98: '\b',
  102: '\f',
  110: '\n',
  114: '\r',
  116: '\t',
};

function stringFault(code: number, at: number): InvalidValue {
  return Number.isNaN(code)
    ? new InvalidValue('the text ends inside a string', at)
    : new InvalidValue('has a control character in a string; escape it', at);
}

function plainEnd(text: string, from: number): number {
  let at = from;
  for (;;) {
    const code = text.charCodeAt(at);
    if (code === quote || code === backslash || !(code >= 32)) return at;
    at++;
  }
}

// The end of the `\uXXXX` at `at`, or of the surrogate pair that begins there.
function unicodeEscapeEnd(text: string, at: number): number {
  const code = hexAt(text, at + 2);
  if (Number.isNaN(code)) throw new InvalidValue('has a \\u escape without four hexadecimal digits', at);
  if (code < 0xd800 || code > 0xdfff) return at + 6;
  const paired = code < 0xdc00 && text.charCodeAt(at + 6) === backslash && text.charCodeAt(at + 7) === 117;
  const second = paired ? hexAt(text, at + 8) : Number.NaN;
  if (!(second >= 0xdc00 && second <= 0xdfff)) throw new InvalidValue('has a lone surrogate in a string', at);
  return at + 12;
}

function hexAt(text: string, at: number): number {
  let value = 0;
  for (let index = at; index < at + 4; index++) {
    const code = text.charCodeAt(index);
    if (isDigit(code)) value = value * 16 + code - 48;
    else if ((code >= 97 && code <= 102) || (code >= 65 && code <= 70)) value = value * 16 + (code & 15) + 9;
    else return Number.NaN;
  }
  return value;
}
