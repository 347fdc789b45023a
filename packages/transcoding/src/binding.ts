import { isUtf8 } from 'node:buffer';
import {
  create,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
  type Message,
  type Registry,
} from '@bufbuild/protobuf';
import { InvalidValue, invalidArgument, RestError, RuleError } from './errors.ts';
import { FieldBehavior, field_behavior } from './gen/google/api/field_behavior_pb.ts';
import type { HttpRule } from './gen/google/api/http_pb.ts';
import { readWhole } from './json-codec.ts';
import { type FieldReader, getter, type JsonReaders, type Local } from './json-message.ts';
import { isJson } from './negotiation.ts';
import { percentDecode, percentDecodeKeepingSlashes } from './percent.ts';
import { Printer } from './printing.ts';
import { holder, QueryReader, type Seen, step, type TextField, textField } from './query.ts';
import { rest, type Template, type Variable } from './template.ts';

/** The parts of a request that fill a message. */
export interface RequestParts {
  /** The raw path segments below the prefix. */
  segments: string[];
  /** What follows `?`; undefined if there is none. */
  query: string | undefined;
  contentType: string | undefined;
  body: Buffer | undefined;
  /** The same as text, if that has been made already. */
  text?: string | undefined;
}

interface PathVariable {
  field: TextField;
  get: (message: Local) => unknown;
  start: number;
  end: number;
  decode: (segments: string[]) => string | undefined;
}

/** One HTTP rule of one method, ready to turn requests into messages and replies into bytes. */
export class Binding {
  readonly method: DescMethod;
  readonly printer: Printer;
  readonly bodyBytesMax: number;
  /** The body is a stream of messages that carry its bytes. */
  readonly isUpload: boolean;
  private readonly variables: PathVariable[];
  private readonly query: QueryReader | undefined;
  private readonly readBody: (parts: RequestParts, message: Local) => void;
  private readonly httpBody: HttpBodyPlace | undefined;

  constructor(options: {
    method: DescMethod;
    rule: HttpRule;
    template: Template;
    readers: JsonReaders;
    registry: Registry;
    depthMax: number;
    bodyBytesMax: number;
    /** Whether `%2F` in the part matched by `**` becomes a slash. */
    decodeSlashes: boolean;
  }) {
    const { method, rule, template } = options;
    this.method = method;
    this.bodyBytesMax = options.bodyBytesMax;
    this.variables = template.variables.map((variable) =>
      pathVariable(method, variable, options.decodeSlashes && template.segments[variable.end - 1] === rest),
    );
    const bodyField = rule.body === '' || rule.body === '*' ? undefined : bodyFieldOf(method, rule.body);
    const clash = this.variables.find((variable) => variable.field.path[0] === bodyField);
    if (clash) throw new RuleError(method.toString(), `the path and the body both set "${bodyField?.name}"`);
    this.query = rule.body === '*' ? undefined : new QueryReader(method.input, bodyField);
    this.httpBody = rule.body === '' ? undefined : httpBodyPlace(method, bodyField);
    this.isUpload = method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming';
    if (this.isUpload && !this.httpBody)
      throw new RuleError(
        method.toString(),
        'a method that streams requests has no REST form without a google.api.HttpBody as its body',
      );
    this.readBody = this.httpBody
      ? rawReader(this.httpBody)
      : bodyReader({ ...options, bodyField, inPath: this.variables });
    this.printer = new Printer(method, rule.responseBody, options.registry);
  }

  /** Body, then query, then path. Throws a `RestError`. */
  bind(parts: RequestParts): Local {
    const message = create(this.method.input) as Local;
    this.readBody(parts, message);
    let seen: Seen | undefined;
    if (parts.query) {
      if (!this.query) throw invalidArgument('query', 'must be empty: this method takes its fields from the body');
      seen = this.query.read(parts.query, message);
    }
    for (const variable of this.variables) bindVariable(variable, parts.segments, message, seen);
    return message;
  }

  /** A message that only carries bytes of an upload. */
  dataMessage(data: Uint8Array): Message {
    const message = create(this.method.input);
    this.setData(message, data);
    return message;
  }

  setData(message: Message, data: Uint8Array): void {
    if (this.httpBody) this.httpBody(message as Local).data = data;
  }
}

/** The `google.api.HttpBody` of a request, created if missing. */
type HttpBodyPlace = (message: Local) => { contentType: string; data: Uint8Array };

function httpBodyPlace(method: DescMethod, field: DescField | undefined): HttpBodyPlace | undefined {
  if (!field)
    return isHttpBody(method.input) ? (message) => message as unknown as ReturnType<HttpBodyPlace> : undefined;
  if (field.fieldKind !== 'message' || !isHttpBody(field.message)) return undefined;
  return (message) => step(message, field) as unknown as ReturnType<HttpBodyPlace>;
}

function rawReader(place: HttpBodyPlace): (parts: RequestParts, message: Local) => void {
  return ({ body, contentType }, message) => {
    Object.assign(place(message), { contentType: contentType ?? '', data: new Uint8Array(body ?? []) });
  };
}

const noQuery = new Set<string>();

// The path names what the caller may access, so nothing else in the request may contradict it.
function bindVariable(variable: PathVariable, segments: string[], message: Local, seen: Seen = noQuery): void {
  const { field, get } = variable;
  const text = variable.decode(segments.slice(variable.start, variable.end));
  if (text === undefined) throw invalidArgument('path', 'has a bad percent-escape');
  try {
    const value = field.read(text);
    const target = holder(message, field.path);
    const other = get(target);
    const said = seen.has(field.name) || (other !== undefined && !isZero(other));
    if (!said) field.set(target, value);
    else if (!isSame(value, other)) throw new InvalidValue('is in the path; the body or query says something else');
  } catch (error) {
    if (error instanceof InvalidValue) throw invalidArgument(field.name, error.message);
    throw error;
  }
}

function isZero(value: unknown): boolean {
  return value === '' || value === 0 || value === 0n || value === '0' || value === false || isEmptyBytes(value);
}

function isEmptyBytes(value: unknown): boolean {
  return value instanceof Uint8Array && value.length === 0;
}

function isSame(a: unknown, b: unknown): boolean {
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b) === 0;
  return Object.is(a, b);
}

function pathVariable(
  method: DescMethod,
  { fieldPath, start, end, multiple }: Variable,
  decodeSlashes: boolean,
): PathVariable {
  const name = fieldPath.join('.');
  const field = textField(method.input, fieldPath);
  if (typeof field === 'string') throw new RuleError(method.toString(), `the path's "${name}" ${field}`);
  const last = field.path.at(-1);
  if (last?.fieldKind !== 'scalar' && last?.fieldKind !== 'enum')
    throw new RuleError(method.toString(), `the path's "${name}" must be one scalar or enum`);
  const keeping = (segments: string[]) => percentDecodeKeepingSlashes(segments.join('/'));
  const decode = !multiple
    ? ([segment = '']: string[]) => percentDecode(segment)
    : decodeSlashes
      ? (segments: string[]) => decodeLast(segments, end - start, keeping)
      : keeping;
  return { field, get: getter(last), start, end, decode };
}

// The template's last segment is `**`, which may have matched nothing.
function decodeLast(
  segments: string[],
  count: number,
  keeping: (segments: string[]) => string | undefined,
): string | undefined {
  const last = segments.length === count ? segments.pop() : undefined;
  if (last === undefined) return keeping(segments);
  const [before, end] = [keeping(segments), percentDecode(last)];
  if (before === undefined || end === undefined) return undefined;
  return segments.length === 0 ? end : `${before}/${end}`;
}

function bodyFieldOf(method: DescMethod, name: string): DescField {
  const field = method.input.fields.find((each) => each.name === name);
  if (!field) throw new RuleError(method.toString(), `the body's field "${name}" is not in ${method.input.typeName}`);
  return field;
}

interface BodyOptions {
  method: DescMethod;
  rule: HttpRule;
  readers: JsonReaders;
  depthMax: number;
  bodyField: DescField | undefined;
  inPath: readonly PathVariable[];
}

function bodyReader(options: BodyOptions): (parts: RequestParts, message: Local) => void {
  const { method, rule, readers, depthMax, bodyField } = options;
  const read: FieldReader = bodyField ? namedField(readers, bodyField) : readers.message(method.input);
  const missing = missingBody(options);
  return ({ body, text, contentType }, message) => {
    if (body === undefined || body.length === 0) {
      if (missing) throw missing();
      return;
    }
    if (contentType === undefined || !isJson(contentType))
      throw new RestError({ kind: 'unsupported_media_type', accepted: ['application/json'] });
    if (!isUtf8(body)) throw invalidArgument('body', 'must be UTF-8');
    readWhole(text ?? body.toString(), depthMax, (json) => {
      // A method without a body accepts an empty object, as many clients always send one.
      if (rule.body !== '') read(json, message);
      else if (json.peek() !== 123 || json.enter(125)) throw new InvalidValue('must be empty', 0);
    });
  };
}

function namedField(readers: JsonReaders, field: DescField): FieldReader {
  const read = readers.field(field);
  return (json, message) => {
    try {
      read(json, message);
    } catch (error) {
      throw error instanceof InvalidValue ? error.within(field.jsonName) : error;
    }
  };
}

// What to report if the body is missing; undefined if that is allowed.
function missingBody({ method, rule, bodyField, inPath }: BodyOptions): (() => RestError) | undefined {
  if (rule.body === '') return undefined;
  if (bodyField) {
    if (has(bodyField, FieldBehavior.OPTIONAL)) return undefined;
    if (bodyField.fieldKind !== 'message' && !has(bodyField, FieldBehavior.REQUIRED)) return undefined;
    return () => invalidArgument(bodyField.jsonName, 'is required: send it as the body');
  }
  const required = method.input.fields.filter(
    (field) => has(field, FieldBehavior.REQUIRED) && !inPath.some((variable) => variable.field.path[0] === field),
  );
  if (required.length === 0) return undefined;
  const violations = required.map((field) => ({ field: field.jsonName, description: 'is required' }));
  return () => new RestError({ kind: 'invalid_argument', violations });
}

function has(field: DescField, behavior: FieldBehavior): boolean {
  return hasOption(field, field_behavior) && getOption(field, field_behavior).includes(behavior);
}

export function isHttpBody(desc: DescMessage): boolean {
  return desc.typeName === 'google.api.HttpBody';
}
