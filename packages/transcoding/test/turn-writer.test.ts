import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { TurnWriter } from '../src/turn-writer.ts';

const open: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** Answers one request over a raw connection, and resolves with its socket. */
async function answered(answer: (response: ServerResponse) => void) {
  const server = createServer((_, response) => answer(response));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  open.push(() => server.close().closeAllConnections());
  socket.write('GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n');
  return socket;
}

async function bytesOf(socket: AsyncIterable<Buffer>): Promise<string> {
  let text = '';
  for await (const piece of socket) text += piece.toString();
  return text;
}

test('what is written in one turn is one chunk, what comes later another, and what is left goes with the end', async () => {
  const socket = await answered((response) => {
    const writer = new TurnWriter(response);
    for (let index = 0; index < 5; index++) writer.write(`${index};`);
    setTimeout(() => {
      writer.write('later;');
      writer.end('end');
    }, 20);
  });
  const [, body = ''] = (await bytesOf(socket)).split('\r\n\r\n', 2);
  expect((await chunks(body)).slice(0, 2)).toEqual(['0;1;2;3;4;', 'later;end']);
});

test('a caller that does not read holds the writer back, and gets everything once it reads', async () => {
  const line = `${'x'.repeat(1_000)}\n`;
  let written = 0;
  const socket = await answered((response) => {
    const writer = new TurnWriter(response);
    const more = () => {
      while (written < 20_000) {
        written++;
        if (!writer.write(line)) {
          response.once('drain', more);
          return;
        }
      }
      writer.end();
    };
    more();
  });
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(written).toBeLessThan(20_000);
  const text = await bytesOf(socket);
  expect(text.match(/x{1000}/g)).toHaveLength(20_000);
});

test('text for a caller that is gone is dropped', async () => {
  const gone = Promise.withResolvers<ServerResponse>();
  const socket = await answered((response) => gone.resolve(response));
  const response = await gone.promise;
  const writer = new TurnWriter(response);
  const errors: unknown[] = [];
  response.on('error', (error) => errors.push(error));
  writer.write('never read');
  response.destroy();
  await once(socket, 'close');
  writer.write('nor this');
  await new Promise((resolve) => setImmediate(resolve));
  expect(errors).toEqual([]);
});

/** The chunks of a chunked body (RFC 9112, section 7.1). */
async function chunks(body: string): Promise<string[]> {
  const found: string[] = [];
  let at = 0;
  while (at < body.length) {
    const end = body.indexOf('\r\n', at);
    const length = Number.parseInt(body.slice(at, end), 16);
    found.push(body.slice(end + 2, end + 2 + length));
    at = end + 2 + length + 2;
  }
  return found;
}
