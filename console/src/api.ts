import { type RpcTypes, rpcs } from '../gen/api.ts';

/** A method as `Service.Method`. */
export type RpcName = keyof typeof rpcs;
export type RpcRequest<Name extends RpcName> = RpcTypes[Name]['request'];
export type RpcReply<Name extends RpcName> = RpcTypes[Name]['reply'];

/** Why a request has no reply: the service refused it, or nothing answered. */
export interface ApiFailure {
  /** The HTTP status; 0 when there was no answer. */
  status: number;
  /** A name of google.rpc.Code; `UNAVAILABLE` when there was no answer. */
  code: string;
  /** The refusal's reason, such as `INSUFFICIENT_CREDIT`; `NO_ANSWER` when there was no answer. */
  reason: string;
  /** What the service says, in English. */
  message: string;
  /** As in the operator's log; undefined when there was no answer. */
  requestId?: string;
  /** When to ask again. */
  retryAfterSeconds?: number;
  /** Which fields are wrong, and why. */
  violations: readonly { field: string; description: string }[];
}

export interface HttpRequest {
  verb: string;
  /** Includes the query, but not the service's path prefix. */
  path: string;
  body?: unknown;
}

/** The documented HTTP request of a method: fields of the path, the query, and the body. */
export function httpRequest<Name extends RpcName>(name: Name, request: RpcRequest<Name>): HttpRequest {
  const { verb, path, body } = rpcs[name];
  const rest: Record<string, unknown> = { ...request };
  const filled = path.replace(/\{(\w+)\}/g, (_, field: string) => {
    const key = camelCase(field);
    const value = rest[key];
    delete rest[key];
    if (typeof value !== 'string' || value === '') throw new TypeError(`${name} needs ${key}`);
    return encodeURIComponent(value);
  });
  if (body === '*') return { verb, path: filled, body: rest };
  const field = camelCase(body);
  const sent = body === '' ? {} : { body: rest[field] ?? {} };
  delete rest[field];
  const query = new URLSearchParams(queryOf(rest)).toString();
  return { verb, path: query === '' ? filled : `${filled}?${query}`, ...sent };
}

function camelCase(field: string): string {
  return field.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function queryOf(fields: Record<string, unknown>, prefix = ''): [string, string][] {
  return Object.entries(fields).flatMap(([name, value]): [string, string][] => {
    if (value === undefined || value === null) return [];
    if (Array.isArray(value)) return value.map((each): [string, string] => [prefix + name, String(each)]);
    if (typeof value === 'object') return queryOf(value as Record<string, unknown>, `${prefix}${name}.`);
    return [[prefix + name, String(value)]];
  });
}

export interface SendOptions {
  signal?: AbortSignal;
  headers?: Record<string, string>;
}

let apiPrefix = '';

/** Sets the path under which the API answers, as the session states it. */
export function setApiPrefix(prefix: string): void {
  apiPrefix = prefix;
}

/** The URL of an API path, as others reach it. */
export function apiUrl(path: string): string {
  return `${location.origin}${apiPrefix}${path}`;
}

/** Calls a method that answers once. Throws an `ApiFailure`. */
export async function callRpc<Name extends RpcName>(
  name: Name,
  request: RpcRequest<Name>,
  options: SendOptions = {},
): Promise<RpcReply<Name>> {
  const { verb, path, body } = httpRequest(name, request);
  const response = await sendRequest({ verb, path: apiPrefix + path, ...(body !== undefined && { body }) }, options);
  return (await jsonOf(response)) as RpcReply<Name>;
}

/** Opens a method that answers with a stream of server-sent events; the caller reads the body. Throws an `ApiFailure`. */
export function openRpcStream<Name extends RpcName>(
  name: Name,
  request: RpcRequest<Name>,
  options: SendOptions = {},
): Promise<Response> {
  const { verb, path, body } = httpRequest(name, request);
  const headers = { accept: 'text/event-stream', ...options.headers };
  return sendRequest({ verb, path: apiPrefix + path, ...(body !== undefined && { body }) }, { ...options, headers });
}

/** A request of the console's own routes. Throws an `ApiFailure`. */
export async function callConsole<Reply>(verb: string, path: string, body?: unknown): Promise<Reply> {
  const response = await sendRequest({ verb, path: `/console${path}`, ...(body !== undefined && { body }) }, {});
  return (await jsonOf(response)) as Reply;
}

async function sendRequest({ verb, path, body }: HttpRequest, options: SendOptions): Promise<Response> {
  const response = await fetch(path, {
    method: verb,
    headers: {
      accept: 'application/json',
      // Requests other than GET declare that they come from the console: no form and no link on another site can.
      ...(verb !== 'GET' && { 'x-console': '1', 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(verb !== 'GET' && { body: JSON.stringify(body ?? {}) }),
    ...(options.signal && { signal: options.signal }),
  }).catch((error: unknown) => {
    if (options.signal?.aborted) throw error;
    throw noAnswer();
  });
  if (!response.ok) throw await failureOf(response);
  return response;
}

async function jsonOf(response: Response): Promise<unknown> {
  if (response.status === 204) return undefined;
  try {
    return await response.json();
  } catch {
    throw noAnswer();
  }
}

function noAnswer(): ApiFailure {
  return { status: 0, code: 'UNAVAILABLE', reason: 'NO_ANSWER', message: 'There was no answer.', violations: [] };
}

interface ErrorBody {
  error?: { status?: string; message?: string; details?: Record<string, unknown>[] };
}

/** The refusal that a response carries (AIP-193). */
export async function failureOf(response: Response): Promise<ApiFailure> {
  const { error }: ErrorBody = await response.json().catch(() => ({}));
  const details = error?.details ?? [];
  const requestId = response.headers.get('x-request-id');
  const retryAfter = Number(response.headers.get('retry-after') ?? Number.NaN);
  return {
    status: response.status,
    code: error?.status ?? (response.status >= 502 ? 'UNAVAILABLE' : 'UNKNOWN'),
    reason: String(details.find(({ reason }) => reason !== undefined)?.reason ?? 'UNKNOWN'),
    message: withoutPlace(error?.message ?? `The service answered ${response.status}.`),
    ...(requestId && { requestId }),
    ...(Number.isFinite(retryAfter) && { retryAfterSeconds: retryAfter }),
    violations: details
      .flatMap(({ fieldViolations }) => (fieldViolations ?? []) as ApiFailure['violations'][number][])
      .map(({ field, description }) => ({ field, description: withoutPlace(description) })),
  };
}

/** Lines and columns are those of the JSON that was sent, which nobody sees here. */
function withoutPlace(told: string): string {
  return told.replace(/ \(line \d+, column \d+\)/g, '');
}

/** Whether the thrown value is a refusal, and not a fault of the page. */
export function isApiFailure(thrown: unknown): thrown is ApiFailure {
  return typeof thrown === 'object' && thrown !== null && 'reason' in thrown && 'violations' in thrown;
}
