import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { connectionPreface, flag, frame, frameHeadBytes, frameType, headerBlock } from '../support/http2-frames.ts';
import type { LoadResult } from './support.ts';

export interface Http2Load {
  url: string;
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Bytes of DATA in a correct answer; every other answer counts as an error. */
  answerBytes: number;
  connections: number;
  /** Concurrent requests on each connection. */
  streams: number;
  seconds: number;
}

const windowMax = 2 ** 31 - 1;

/**
 * Sends the same request repeatedly over HTTP/2. It speaks in frames (RFC 9113): Node's own client takes more time per call than the measured
 * servers.
 */
export async function loadHttp2(options: Http2Load): Promise<LoadResult> {
  const result = { done: 0, errors: 0, latencies: [] as number[] };
  const startedAt = performance.now();
  const until = startedAt + options.seconds * 1000;
  await Promise.all(Array.from({ length: options.connections }, () => drive(options, until, result)));
  const seconds = (performance.now() - startedAt) / 1000;
  const sorted = result.latencies.sort((a, b) => a - b);
  const at = (part: number) => Math.round((sorted[Math.floor(sorted.length * part)] ?? Number.NaN) * 100) / 100;
  return {
    requests: result.done,
    requestsPerSecond: result.done / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    errors: result.errors,
  };
}

/** One connection: as many concurrent requests as it may have, until time is up and all are answered. */
async function drive(
  options: Http2Load,
  until: number,
  result: { done: number; errors: number; latencies: number[] },
): Promise<void> {
  const { hostname, port, host } = new URL(options.url);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  await once(socket, 'connect');
  const blocks = headerBlocks({
    ':method': 'POST',
    ':scheme': 'http',
    ':authority': host,
    ':path': options.path,
    ...options.headers,
  });
  const open = new Map<number, { bytes: number; startedAt: number }>();
  const out: Buffer[] = [preface()];
  let nextId = 1;

  function request(): void {
    const id = nextId;
    nextId += 2;
    open.set(id, { bytes: 0, startedAt: performance.now() });
    out.push(
      frame(frameType.headers, flag.endHeaders, id, id === 1 ? blocks.first : blocks.later),
      frame(frameType.data, flag.endStream, id, options.body),
    );
  }
  function answered(id: number, isRight: boolean): void {
    const asked = open.get(id);
    if (!asked) return;
    open.delete(id);
    if (isRight) result.done += 1;
    else result.errors += 1;
    if (result.done % 16 === 0) result.latencies.push(performance.now() - asked.startedAt);
    if (performance.now() < until) request();
  }
  function received(type: number, flags: number, id: number, payload: Buffer): void {
    if (type === frameType.settings && (flags & flag.ack) === 0) out.push(frame(frameType.settings, flag.ack, 0));
    if (type === frameType.ping && (flags & flag.ack) === 0) out.push(frame(frameType.ping, flag.ack, 0, payload));
    if (type === frameType.reset) answered(id, false);
    if (type === frameType.goaway) socket.destroy(new Error('the server ends the session'));
    const stream = open.get(id);
    if (!stream) return;
    if (type === frameType.data) stream.bytes += payload.length;
    if ((type === frameType.data || type === frameType.headers) && (flags & flag.endStream) !== 0)
      answered(id, stream.bytes === options.answerBytes);
  }

  for (let index = 0; index < options.streams; index += 1) request();
  flush(socket, out);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of socket) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    let at = 0;
    while (rest.length - at >= frameHeadBytes) {
      const end = at + frameHeadBytes + rest.readUIntBE(at, 3);
      if (rest.length < end) break;
      received(
        rest[at + 3] ?? 0,
        rest[at + 4] ?? 0,
        rest.readUInt32BE(at + 5) & 0x7fffffff,
        rest.subarray(at + frameHeadBytes, end),
      );
      at = end;
    }
    rest = rest.subarray(at);
    flush(socket, out);
    if (open.size === 0) break;
  }
  socket.destroy();
}

function flush(socket: Socket, out: Buffer[]): void {
  if (out.length > 0) socket.write(Buffer.concat(out.splice(0)));
}

/** The preface, and windows that never fill. */
function preface(): Buffer {
  const initialWindow = Buffer.alloc(6);
  initialWindow.writeUInt16BE(4, 0);
  initialWindow.writeUInt32BE(windowMax, 2);
  const more = Buffer.alloc(4);
  more.writeUInt32BE(windowMax - 65_535, 0);
  return Buffer.concat([
    connectionPreface,
    frame(frameType.settings, 0, 0, initialWindow),
    frame(frameType.windowUpdate, 0, 0, more),
  ]);
}

/** As clients write them: the first request adds each header to the table, later ones refer to it (RFC 7541, 6.1 and 6.2.1). */
function headerBlocks(headers: Record<string, string>): { first: Buffer; later: Buffer } {
  const count = Object.keys(headers).length;
  const firstOfTable = 62;
  const later = Array.from({ length: count }, (_, index) => 0x80 | (firstOfTable + count - 1 - index));
  return { first: headerBlock(headers), later: Buffer.from(later) };
}
