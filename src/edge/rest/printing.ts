import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type Message,
  type Registry,
  toJson,
} from '@bufbuild/protobuf';
import { RuleError } from './errors.ts';

/** A reply's bytes and what they are. */
export interface Printed {
  contentType: string;
  body: string | Uint8Array;
}

export const jsonType = 'application/json; charset=utf-8';

/** Prints a method's replies: lowerCamelCase, with fields that have their default value. */
export class Printer {
  /** The replies are `google.api.HttpBody`: bytes of their own type. */
  readonly isRaw: boolean;
  private readonly desc: DescMessage;
  private readonly field: DescField | undefined;
  private readonly options: { alwaysEmitImplicit: true; registry?: Registry };

  constructor(method: DescMethod, responseBody: string, registry: Registry) {
    this.desc = method.output;
    this.field = responseBody === '' ? undefined : responseField(method, responseBody);
    const whole = this.field ? this.field.fieldKind === 'message' && this.field.message : method.output;
    this.isRaw = whole !== undefined && whole !== false && whole.typeName === 'google.api.HttpBody';
    // A registry costs a look for extensions in every message; only an Any needs it.
    this.options = holdsAny(method.output) ? { alwaysEmitImplicit: true, registry } : { alwaysEmitImplicit: true };
  }

  print(message: Message): Printed {
    if (this.isRaw) return this.raw(message);
    return { contentType: jsonType, body: this.json(message) };
  }

  json(message: Message): string {
    const json = toJson(this.desc, message, this.options);
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

function holdsAny(desc: DescMessage, seen = new Set<DescMessage>()): boolean {
  if (desc.typeName === 'google.protobuf.Any') return true;
  if (seen.has(desc)) return false;
  seen.add(desc);
  return desc.fields.some((field) => field.message !== undefined && holdsAny(field.message, seen));
}

function responseField(method: DescMethod, name: string): DescField {
  const field = method.output.fields.find((each) => each.name === name);
  if (field) return field;
  throw new RuleError(method.toString(), `response_body "${name}" is not a field of ${method.output.typeName}`);
}
