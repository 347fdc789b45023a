import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type JsonValue,
  type Message,
  type Registry,
  ScalarType,
  toJson,
} from '@bufbuild/protobuf';
import { hasCustomJsonRepresentation } from '@bufbuild/protobuf/wkt';
import { RuleError } from './errors.ts';
import { countWork, isTurnFull, ownTurn } from './own-turn.ts';

/** A reply's bytes and their type. */
export interface Printed {
  contentType: string;
  body: string | Uint8Array;
}

export const jsonType = 'application/json; charset=utf-8';

/** How many characters are printed per event loop turn: as numbers they take about 3 ms. */
const charactersInTurn = 131_072;

type MessageList = DescField & { fieldKind: 'list'; listKind: 'message' };
type Options = { alwaysEmitImplicit: true; registry?: Registry };

/** Prints a method's replies: in lowerCamelCase, including fields with their default value. */
export class Printer {
  /** The replies are `google.api.HttpBody`: bytes of their own type. */
  readonly isRaw: boolean;
  private readonly desc: DescMessage;
  private readonly field: DescField | undefined;
  private readonly hasFloats: boolean;
  private readonly options: Options;
  /** Its lists of messages, by their names in JSON. */
  private readonly lists: ReadonlyMap<string, MessageList>;

  constructor(method: DescMethod, responseBody: string, registry: Registry) {
    this.desc = method.output;
    this.field = responseBody === '' ? undefined : responseField(method, responseBody);
    const whole = this.field ? this.field.fieldKind === 'message' && this.field.message : method.output;
    this.isRaw = whole !== undefined && whole !== false && whole.typeName === 'google.api.HttpBody';
    this.hasFloats = holds(method.output, isFloat);
    // A registry costs a search for extensions in every message; only an Any needs it.
    this.options = holds(method.output, () => false)
      ? { alwaysEmitImplicit: true, registry }
      : { alwaysEmitImplicit: true };
    this.lists = this.field || hasCustomJsonRepresentation(method.output) ? new Map() : listsOf(method.output);
  }

  /** Whether it has a list that may be long, so that it should be printed with `printInTurns`. */
  hasList(message: Message): boolean {
    for (const field of this.lists.values()) if (listIn(message, field).length > 1) return true;
    return false;
  }

  /** The same text as `print`, for which it leaves the event loop to others between the elements of long lists. */
  async printInTurns(message: Message): Promise<Printed> {
    const rest = Object.assign(Object.create(Object.getPrototypeOf(message)), message) as Message & Held;
    for (const { localName } of this.lists.values()) rest[localName] = [];
    const done: Buffer[] = [];
    let text = '';
    const members = Object.entries(this.plain(this.desc, rest) as Record<string, JsonValue>);
    for (const [at, [name, value]] of members.entries()) {
      text += `${at === 0 ? '{' : ','}${JSON.stringify(name)}:`;
      const field = this.lists.get(name);
      if (!field) {
        text += JSON.stringify(value);
        continue;
      }
      text += '[';
      for (const [index, element] of listIn(message, field).entries()) {
        if (isTurnFull()) {
          done.push(Buffer.from(text));
          text = '';
          await ownTurn();
        }
        const printed = JSON.stringify(this.plain(field.message, element));
        text += `${index === 0 ? '' : ','}${printed}`;
        countWork(printed.length / charactersInTurn);
      }
      text += ']';
    }
    text += '}';
    return { contentType: jsonType, body: done.length === 0 ? text : Buffer.concat([...done, Buffer.from(text)]) };
  }

  print(message: Message): Printed {
    if (this.isRaw) return this.raw(message);
    return { contentType: jsonType, body: this.json(message) };
  }

  json(message: Message): string {
    const json = this.plain(this.desc, message);
    if (!this.field) return JSON.stringify(json);
    const part = (json as Record<string, unknown>)[this.field.jsonName];
    return JSON.stringify(part ?? null);
  }

  private plain(desc: DescMessage, message: Message): JsonValue {
    const plain = toJson(desc, message, this.options);
    return this.hasFloats ? signZeros(plain) : plain;
  }

  raw(message: Message): Printed {
    const holder = this.field ? (message as unknown as Record<string, unknown>)[this.field.localName] : message;
    const { contentType, data } = (holder ?? {}) as { contentType?: string; data?: Uint8Array };
    return { contentType: contentType || 'application/octet-stream', body: data ?? new Uint8Array() };
  }
}

type Held = Record<string, unknown>;

function listsOf(desc: DescMessage): Map<string, MessageList> {
  const lists = desc.fields.filter(
    (field): field is MessageList => field.fieldKind === 'list' && field.listKind === 'message',
  );
  return new Map(lists.map((field) => [field.jsonName, field]));
}

function listIn(message: Message, { localName }: MessageList): readonly Message[] {
  return (message as Message & Held)[localName] as Message[];
}

const anyName = 'google.protobuf.Any';

/** Whether a message, or one nested in it, has a field of that kind; an Any may hold anything in the registry. */
function holds(desc: DescMessage, kind: (field: DescField) => boolean, seen = new Set<DescMessage>()): boolean {
  if (seen.has(desc)) return false;
  seen.add(desc);
  if (desc.typeName === anyName) return true;
  return desc.fields.some((field) => kind(field) || (field.message !== undefined && holds(field.message, kind, seen)));
}

function isFloat(field: DescField): boolean {
  return field.scalar === ScalarType.DOUBLE || field.scalar === ScalarType.FLOAT;
}

const minusZero = (JSON as unknown as { rawJSON(text: string): JsonValue }).rawJSON('-0');

/** ProtoJSON keeps the sign of zero; `JSON.stringify` alone would drop it. */
function signZeros(json: JsonValue): JsonValue {
  if (Object.is(json, -0)) return minusZero;
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) {
    for (let at = 0; at < json.length; at++) {
      const value = json[at] as JsonValue;
      if (value === 0 || typeof value === 'object') json[at] = signZeros(value);
    }
    return json;
  }
  const holder = json as { [name: string]: JsonValue };
  for (const name in holder) {
    const value = holder[name] as JsonValue;
    if (value === 0 || typeof value === 'object') holder[name] = signZeros(value);
  }
  return json;
}

function responseField(method: DescMethod, name: string): DescField {
  const field = method.output.fields.find((each) => each.name === name);
  if (field) return field;
  throw new RuleError(method.toString(), `response_body "${name}" is not a field of ${method.output.typeName}`);
}
