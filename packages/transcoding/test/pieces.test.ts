import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readWebBody } from '../src/body.ts';
import { Pieces, piecesMax } from '../src/pieces.ts';

test('joins pieces of any length in their order', async () => {
  const lengths = [1, 0, 5_000, 3, 70_000, 4_095, 4_096, 1, 65_535, 2];
  const sent = lengths.map((length, at) => Buffer.alloc(length, 65 + at));
  const pieces = new Pieces(1_000_000);
  for (const piece of sent) pieces.add(piece);
  expect((await pieces.whole()).equals(Buffer.concat(sent))).toBe(true);
  expect(await new Pieces(1).whole()).toHaveLength(0);
});

test('of long bodies that end at one moment, one is joined in a turn of the event loop', async () => {
  let turn = 0;
  let isOver = false;
  const count = () => {
    turn += 1;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  const joined = await Promise.all(
    Array.from({ length: 5 }, async () => {
      const pieces = new Pieces(10_000_000);
      for (let at = 0; at < 20; at++) pieces.add(Buffer.alloc(65_536, at));
      expect(await pieces.whole()).toHaveLength(20 * 65_536);
      return turn;
    }),
  );
  isOver = true;
  expect(new Set(joined).size).toBe(5);
});

test('keeps nothing of short pieces but their bytes', async () => {
  const received = Buffer.alloc(40_000, 'a');
  const pieces = new Pieces(1_000_000);
  for (let at = 0; at < received.length; at++) pieces.add(received.subarray(at, at + 1));
  expect((pieces as unknown as { kept: Buffer[] }).kept.length).toBeLessThan(3);
  expect((await pieces.whole()).equals(received)).toBe(true);
});

test('refuses too many bytes and too many pieces, as soon as they show', () => {
  const letter = Buffer.from('a');
  const short = new Pieces(2);
  short.add(letter);
  short.add(letter);
  expect(() => short.add(letter)).toThrow(
    expect.objectContaining({ problem: { kind: 'payload_too_large', limitBytes: 2 } }),
  );
  const many = new Pieces(1_000_000);
  for (let count = 0; count < piecesMax; count++) many.add(letter);
  expect(() => many.add(letter)).toThrow(
    expect.objectContaining({ problem: expect.objectContaining({ kind: 'invalid_argument' }) }),
  );
});

test('a body is told of before it is kept, opened or not, and what is thrown at it is heard', async () => {
  const body = 'a'.repeat(10_000);
  const packed = gzipSync(body);
  const told: number[] = [];
  const request = () =>
    new Request('http://localhost/', { method: 'POST', body: packed, headers: { 'content-encoding': 'gzip' } });
  expect(String(await readWebBody(request(), 20_000, (bytes) => told.push(bytes)))).toBe(body);
  expect(told).toEqual([packed.length, body.length]);
  const full = new Error('no room');
  const refuse = () => {
    throw full;
  };
  await expect(readWebBody(request(), 20_000, refuse)).rejects.toBe(full);
});
