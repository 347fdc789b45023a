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
import { RuleError } from './errors.ts';

/** A reply's bytes and their type. */
export interface Printed {
  contentType: string;
  body: string | Uint8Array;
}

export const jsonType = 'application/json; charset=utf-8';

/** Prints a method's replies: in lowerCamelCase, including fields with their default value. */
export class Printer {
  /** The replies are `google.api.HttpBody`: bytes of their own type. */
  readonly isRaw: boolean;
  private readonly desc: DescMessage;
  private readonly field: DescField | undefined;
  private readonly hasFloats: boolean;
  private readonly options: { alwaysEmitImplicit: true; registry?: Registry };

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
  }

  print(message: Message): Printed {
    if (this.isRaw) return this.raw(message);
    return { contentType: jsonType, body: this.json(message) };
  }

  json(message: Message): string {
    const plain = toJson(this.desc, message, this.options);
    const json = this.hasFloats ? signZeros(plain) : plain;
    if (!this.field) return JSON.stringify(json);
    const part = (json as Record<string, unknown>)[this.field.jsonName];
    return JSON.stringify(part ?? null);
  }

  raw(message: Message): Printed {
    const holder = this.field ? (message as unknown as Record<string, unknown>)[this.field.localName] : message;
    const { contentType, data } = (holder ?? {}) as { contentType?: string; data?: Uint8Array };
    return { contentType: contentType || 'application/octet-stream', body: data ?? new Uint8Array() };
  }
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
