import { once } from 'node:events';
import { connect } from 'node:net';

/** One event that arrived completely. */
export interface ArrivedEvent {
  id: string | undefined;
  name: string | undefined;
  data: string;
}

export interface CutRequest {
  head: string[];
  body?: string;
  cutAfter?: number;
  cutAt?: string;
}

export interface Arrived {
  /** Everything that the server sent, as far as it was read. */
  raw: Buffer;
  /** Undefined until the head is complete. */
  status: number | undefined;
  headers: Record<string, string>;
  body: string;
  events: ArrivedEvent[];
}

/** One HTTP/1.1 request over its own socket, which is cut once `cutAfter` bytes of the reply have arrived, or once it contains `cutAt`. */
export async function requestCut(
  url: string,
  { head, body = '', cutAfter = Number.POSITIVE_INFINITY, cutAt }: CutRequest,
): Promise<Arrived> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  const lines = [
    ...head,
    `host: ${hostname}:${port}`,
    'connection: close',
    `content-length: ${Buffer.byteLength(body)}`,
  ];
  const chunks: Buffer[] = [];
  let bytes = 0;
  await new Promise<void>((resolve) => {
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= cutAfter || (cutAt !== undefined && Buffer.concat(chunks).includes(cutAt))) socket.resetAndDestroy();
    });
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`, () => {
      if (cutAfter === 0) socket.resetAndDestroy();
    });
  });
  return arrived(Buffer.concat(chunks).subarray(0, Math.min(bytes, cutAfter)));
}

/** What a client has of a reply after these bytes. */
export function arrived(reply: Buffer): Arrived {
  const end = reply.indexOf('\r\n\r\n');
  if (end < 0) return { raw: reply, status: undefined, headers: {}, body: '', events: [] };
  const [first = '', ...lines] = reply.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const rest = reply.subarray(end + 4);
  const body = (headers['transfer-encoding'] === 'chunked' ? unchunked(rest) : rest).toString('utf8');
  return { raw: reply, status: Number(first.split(' ')[1]), headers, body, events: eventsOf(body) };
}

/** The content of chunks, the last of which may be cut off. */
function unchunked(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) break;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    if (!(size > 0)) break;
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
  return Buffer.concat(pieces);
}

/** Complete events, read as HTML's section 9.2.6 says: one that is cut off is dropped. */
export function eventsOf(text: string): ArrivedEvent[] {
  const events: ArrivedEvent[] = [];
  const blocks = text.split('\n\n');
  for (const block of blocks.slice(0, -1)) {
    const lines = block.split('\n').filter((line) => !line.startsWith(':'));
    const values = (name: string) =>
      lines.filter((line) => line.startsWith(`${name}: `)).map((line) => line.slice(name.length + 2));
    if (lines.length > 0)
      events.push({ id: values('id')[0], name: values('event')[0], data: values('data').join('\n') });
  }
  return events;
}
