import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { IncomingHttpHeaders as StreamHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { carrierOf } from '@intelligence-api/transcoding/parts';
import { isKnownMethod } from './allowed-methods.ts';
import { keepBriefly } from './carrier.ts';
import { connectionOf } from './connections.ts';
import { rawRefusal, unknownMethod } from './raw-refusal.ts';

/**
 * Enforces what HTTP requires of a request and Node lets pass: the version, the method, a target, and exactly one valid host. A
 * request that fails is answered here, before anything else sees it, and its connection ends.
 */
export function strictHttp(answer: RequestListener): RequestListener {
  const mayWait = boundPipelines();
  return (request, response) => {
    if (!mayWait(request, response)) return;
    // A caller that disconnects while being written to is not a fault of the service.
    request.on('error', ignore);
    response.on('error', ignore);
    const problem = problemOf(request);
    if (problem) refuse(request, response, problem);
    else answer(request, response);
  };
}

/** Requests on one HTTP/1.1 connection waiting for their answers. Clients that pipeline at all send only a few. */
const pipelinedMax = 32;

/**
 * Cuts off HTTP/1.1 connections that pipeline more requests than that: the parser hands over everything in a read, thousands of
 * requests, in one turn of the event loop.
 */
function boundPipelines(): (request: IncomingMessage, response: ServerResponse) => boolean {
  const waiting = new WeakMap<Socket, number>();
  return (request, response) => {
    if (isHttp2(request)) return true;
    const { socket } = request;
    // What the parser still holds from a connection that was cut off.
    if (socket.destroyed) return false;
    const count = (waiting.get(socket) ?? 0) + 1;
    if (count > pipelinedMax) {
      socket.destroy();
      return false;
    }
    waiting.set(socket, count);
    response.once('close', () => waiting.set(socket, (waiting.get(socket) ?? 1) - 1));
    return true;
  };
}

/**
 * For requests that wait for `100 Continue` before sending their body: it is sent when the body is first read, so never before a
 * refusal (RFC 9110, section 10.1.1).
 */
export function continueWhenRead(answer: RequestListener): RequestListener {
  return (request, response) => {
    // Not `_read`, which is not called for a body that came at once: without the 100, Node would end the connection after its answer.
    const read = request.read;
    request.read = (size) => {
      request.read = read;
      if (!response.headersSent && !response.destroyed) response.writeContinue();
      return read.call(request, size);
    };
    answer(request, response);
  };
}

/** For any `Expect` other than `100-continue` (RFC 9110, section 10.1.1). */
export function refuseExpectation(request: IncomingMessage, response: ServerResponse): void {
  refuse(request, response, { code: 417, message: 'The only supported expectation is 100-continue.' });
}

interface Problem {
  code: 400 | 417 | 501 | 505;
  message: string;
}

function problemOf(request: IncomingMessage): Problem | undefined {
  const { httpVersion, headers, method = '' } = request;
  // Node's parser accepts 0.9, 1.0, 1.1 and 2.0 in the request line; HTTP/2 itself never writes one.
  if (httpVersion !== '1.1' && httpVersion !== '1.0' && !isHttp2(request))
    return { code: 505, message: 'This service supports HTTP/1.1 and HTTP/2 only.' };
  // Over HTTP/1.1 the parser rejects it.
  if (!isKnownMethod(method)) return { code: 501, message: unknownMethod };
  const misframed = framingProblemOf(request);
  if (misframed) return misframed;
  if (hostsIn(request.rawHeaders) > 1)
    return { code: 400, message: 'The request has more than one Host header (RFC 9112, section 3.2).' };
  const authority = headers[':authority'];
  const { host } = headers;
  if (authority !== undefined && host !== undefined && authority !== host)
    return { code: 400, message: 'The Host header and :authority differ (RFC 9113, section 8.3.1).' };
  const target = targetOf(request);
  if (!target)
    return { code: 400, message: 'The target of the request is no path on this service (RFC 9112, section 3.2).' };
  // From here on a target in absolute form is the path in it: whoever looks a path up knows only that form.
  request.url = target.path;
  const named = target.host ?? authority ?? host;
  if (named === undefined && httpVersion === '1.1')
    return { code: 400, message: 'The request has no Host header (RFC 9112, section 3.2).' };
  // HTTP/1.0 has no Host, and an empty one is allowed; building a URL needs some name.
  if (named === undefined || named === '') headers.host = 'localhost';
  else if (target.host !== undefined && isAuthority(target.host)) headers.host = target.host;
  else if (typeof named !== 'string' || !isAuthority(named))
    return { code: 400, message: 'The Host header is not a valid host name (RFC 9112, section 3.2).' };
  return undefined;
}

/** Whether an HTTP/2 request names its host the way nearly all do: once, with a valid `:authority`. */
export function namesOneHost(headers: StreamHeaders): boolean {
  const authority = headers[':authority'];
  return authority !== undefined && headers.host === undefined && isAuthority(authority);
}

function isHttp2(request: IncomingMessage): boolean {
  return 'stream' in request;
}

/** Node decodes chunks and nothing else: with another encoding before them, the body would be taken for what it is not. */
function framingProblemOf({ httpVersion, headers }: IncomingMessage): Problem | undefined {
  const encoding = headers['transfer-encoding'];
  if (encoding === undefined) return undefined;
  if (httpVersion === '1.0')
    return { code: 400, message: 'HTTP/1.0 has no Transfer-Encoding (RFC 9112, section 6.1).' };
  if (!/\bchunked$/i.test(encoding))
    return { code: 400, message: 'The Transfer-Encoding of a request ends in chunked (RFC 9112, section 6.3).' };
  if (!/^chunked$/i.test(encoding))
    return { code: 501, message: 'The only supported Transfer-Encoding is chunked (RFC 9112, section 6.1).' };
  return undefined;
}

const absoluteForm = /^https?:\/\/([^/?]+)(.*)$/i;

/**
 * The path and query of a request's target, and the host that a target in absolute form names in place of the Host header (RFC 9112,
 * section 3.2.2). Undefined if the target has none of HTTP's forms for its method. Over HTTP/2 the parser checks it.
 */
function targetOf({ url = '', method }: IncomingMessage): { path: string; host?: string } | undefined {
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return { path: url };
  const [, host, rest = ''] = absoluteForm.exec(url) ?? [];
  if (host === undefined) return undefined;
  return { path: rest.startsWith('/') ? rest : `/${rest}`, host };
}

function hostsIn(rawHeaders: readonly string[]): number {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at];
    if (name?.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count;
}

const authorityForm = /^(?:[\w.~!$&'()*+,;=%-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i;
let lastValid = '';

function isAuthority(text: string): boolean {
  if (text === lastValid) return true;
  if (text.length > 512 || !authorityForm.test(text) || !URL.canParse(`http://${text}`)) return false;
  lastValid = text;
  return true;
}

function refuse(request: IncomingMessage, response: ServerResponse, { code, message }: Problem): void {
  const body = rawRefusal(code, message);
  // Nobody has counted it yet. Over HTTP/1.1, the connection ends with it.
  if (isHttp2(request)) keepBriefly(carrierOf(response), connectionOf(request));
  const closing = isHttp2(request) ? {} : { connection: 'close' };
  response.writeHead(code, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    ...closing,
  });
  response.end(body);
}

function ignore(): void {}
