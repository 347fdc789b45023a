import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, test } from 'vitest';
import { readBody } from '../src/body.ts';

/** The most that one read of a socket can hold: chunks of a byte take five. */
const piecesOfARead = 65_536 / 5;

/** Sends a body, and returns how many pieces of it arrived in each turn of the event loop. */
async function piecesPerTurn(written: string, bytes: number): Promise<{ turns: number[]; bytes: number }> {
  const turns: number[] = [];
  let pieces = 0;
  let isOver = false;
  const next = () => {
    if (pieces > 0) turns.push(pieces);
    pieces = 0;
    if (!isOver) setImmediate(next);
  };
  const server = createServer(async (request, response) => {
    setImmediate(next);
    const body = await readBody(request, bytes, () => {
      pieces += 1;
    });
    response.end(String(body?.length));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${written}`);
  const [reply] = (await once(socket, 'data')) as [Buffer];
  isOver = true;
  socket.destroy();
  server.close();
  return { turns, bytes: Number(reply.toString().split('\r\n').at(-3)) || Number(/\d+$/.exec(reply.toString())?.[0]) };
}

test('a connection that sends tiny chunks is read once in a turn of the event loop, and all of them arrive', async () => {
  const count = 60_000;
  const received = await piecesPerTurn(`${'1\r\na\r\n'.repeat(count)}0\r\n\r\n`, count);
  expect(received.bytes).toBe(count);
  expect(Math.max(...received.turns)).toBeLessThanOrEqual(piecesOfARead + 1);
  expect(received.turns.length).toBeGreaterThan(count / piecesOfARead - 1);
});

test('a long body arrives whole', async () => {
  const length = 5_000_000;
  const received = await piecesPerTurn(`${length.toString(16)}\r\n${'a'.repeat(length)}\r\n0\r\n\r\n`, length);
  expect(received.bytes).toBe(length);
});
