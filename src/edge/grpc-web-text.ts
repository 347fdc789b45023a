import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { invalid } from '../base/failure.ts';
import { refusedMessage } from './bounded-messages.ts';

const binaryType = 'application/grpc-web+proto';
const textType = 'application/grpc-web-text+proto';
const isText = /^application\/grpc-web-text(?:\+proto)?$/i;
const isBinary = /^application\/grpc-web(?:\+proto)?$/i;

/**
 * Lets callers use gRPC-Web in base64 (`application/grpc-web-text`, gRPC's PROTOCOL-WEB.md) with a handler that only knows the
 * binary form. The reply is in base64 if `Accept` asks for it or, when `Accept` names neither form, if the request is. Replies of
 * other types, such as JSON, are unchanged.
 */
export function speakText(request: IncomingMessage, response: ServerResponse): void {
  const { headers } = request;
  const type = headers['content-type'] ?? '';
  const asksInText = isText.test(type);
  if (!asksInText && !isBinary.test(type)) return;
  if (asksInText) {
    headers['content-type'] = binaryType;
    decodeBody(request);
  }
  if (wantsText(headers.accept) ?? asksInText) encodeReply(response);
}

/** Undefined if there is no preference. */
function wantsText(accept: string | undefined): boolean | undefined {
  const types = (accept ?? '').split(',').map((each) => each.split(';', 1)[0]?.trim() ?? '');
  if (types.some((each) => isText.test(each))) return true;
  return types.some((each) => isBinary.test(each)) ? false : undefined;
}

function decodeBody(request: IncomingMessage): void {
  const read = request[Symbol.asyncIterator].bind(request);
  request[Symbol.asyncIterator] = async function* decoded() {
    let rest = '';
    // Allows as many line breaks as other characters, plus a group: a body of nothing but line breaks could go on forever.
    let breaksLeft = charactersOfGroup;
    for await (const chunk of { [Symbol.asyncIterator]: read }) {
      const written = (chunk as Buffer).toString('latin1');
      const unbroken = written.replace(lineBreaks, '');
      breaksLeft += 2 * unbroken.length - written.length;
      if (breaksLeft < 0) throw notBase64();
      const text = rest + unbroken;
      const whole = text.length - (text.length % charactersOfGroup);
      rest = text.slice(whole);
      if (whole > 0) yield bytesOf(text.slice(0, whole));
    }
    if (rest !== '') throw notBase64();
    return undefined;
  };
}

/** A group is three bytes, or a run's last ones with their padding. */
const charactersOfGroup = 4;

/** Base64 encoders break lines, and files end with a line break; Go's decoders, behind grpc-web's first proxy, ignore them. */
const lineBreaks = /[\r\n]+/g;

/** A run of base64 with its padding; callers may send several in a row. */
const runs = /[A-Za-z0-9+/]*={0,2}/y;

/** Per piece of the body; a message is a run or two. */
const runsMax = 1_024;

/** Decodes groups of base64; padded ones may be followed by more. */
function bytesOf(text: string): Buffer {
  const bytes = Buffer.allocUnsafe((text.length / charactersOfGroup) * 3);
  let length = 0;
  let count = 0;
  for (let at = 0; at < text.length; ) {
    count += 1;
    if (count > runsMax) throw notBase64();
    runs.lastIndex = at;
    const [run = ''] = runs.exec(text) ?? [];
    if (run.length === 0 || run.length % charactersOfGroup > 0) throw notBase64();
    length += bytes.write(run, length, 'base64');
    at += run.length;
  }
  return bytes.subarray(0, length);
}

function notBase64() {
  return refusedMessage(invalid('body', 'is not padded base64, as application/grpc-web-text asks'));
}

/** Each written piece is a run of its own, so that no message waits for the next. */
function encodeReply(response: ServerResponse): void {
  const writeHead = response.writeHead.bind(response) as (
    status: number,
    headers?: OutgoingHttpHeaders,
  ) => typeof response;
  const write = response.write.bind(response) as (text: string, done?: () => void) => boolean;
  let encodes = false;
  response.writeHead = ((status: number, headers?: OutgoingHttpHeaders) => {
    encodes = isBinary.test(String(headers?.['content-type'] ?? ''));
    return writeHead(status, encodes ? { ...headers, 'content-type': textType } : headers);
  }) as typeof response.writeHead;
  response.write = ((piece: string | Uint8Array, encoding?: BufferEncoding, done?: () => void) => {
    const bytes = typeof piece === 'string' ? Buffer.from(piece, encoding) : Buffer.from(piece);
    return encodes ? write(bytes.toString('base64'), done) : write(piece as string, done);
  }) as typeof response.write;
}
