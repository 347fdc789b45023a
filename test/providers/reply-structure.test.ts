import { describe, expect, test } from 'vitest';
import { upstreamFailure } from '../../src/providers/index.ts';
import {
  checkStructure,
  containersMax,
  eventContainersMax,
  hasFewParts,
  levelsMax,
  ReplyStructure,
} from '../../src/providers/reply-structure.ts';
import { createUpstreamFetch } from '../../src/providers/upstream-fetch.ts';
import { startUpstream, type UpstreamReply } from '../support/upstream.ts';

const objects = (count: number) => `[${Array.from({ length: count - 1 }, () => '{}').join(',')}]`;
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

function fits(text: string, isEvents = false, pieceBytes = text.length): boolean {
  const structure = new ReplyStructure({ isEvents });
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += pieceBytes)
    if (!structure.fits(bytes.subarray(at, at + pieceBytes))) return false;
  return true;
}

describe('the structure of a reply', () => {
  test('is bounded in objects and arrays, and in levels', () => {
    expect(fits(objects(containersMax))).toBe(true);
    expect(fits(objects(containersMax + 1))).toBe(false);
    expect(fits(nested(levelsMax))).toBe(true);
    expect(fits(nested(levelsMax + 1))).toBe(false);
  });

  test.each([1, 2, 3, 7, 1_000])('does not count brackets inside strings, in pieces of %i bytes', (pieceBytes) => {
    const text = JSON.stringify({ code: `${'[{'.repeat(200)}"\\"${'{'.repeat(200)}\\`, 'k"[': 'ä"' });
    expect(fits(text, false, pieceBytes)).toBe(true);
    expect(fits(`${text.slice(0, -1)},"deep":${nested(levelsMax)}}`, false, pieceBytes)).toBe(false);
  });

  test('is that of each event in a stream, however its lines are written', () => {
    const event = `data: ${objects(eventContainersMax)}\r\n\r\n`;
    expect(fits(event.repeat(3), true)).toBe(true);
    expect(fits(`data: ${objects(eventContainersMax + 1)}\n\n`, true)).toBe(false);
    expect(fits(`data: [\n${`data: ${objects(1_000)},\n`.repeat(17)}`, true)).toBe(false);
    expect(fits(`: "\ndata: ${objects(eventContainersMax + 1)}\n\n`, true)).toBe(false);
  });
});

test('few brackets of either kind need no measuring, and what is beyond a bound always has more', () => {
  expect(hasFewParts(Buffer.from(`${'x'.repeat(1_000)}${'['.repeat(levelsMax / 2)}${'{'.repeat(levelsMax / 2)}`))).toBe(
    true,
  );
  for (const bracket of ['[', '{', '[{']) expect(hasFewParts(Buffer.from(bracket.repeat(levelsMax + 1)))).toBe(false);
  expect(hasFewParts(Buffer.from(`{"a":${nested(levelsMax)}}`))).toBe(false);
  expect(hasFewParts(Buffer.from(']}'.repeat(1_000)))).toBe(true);
});

test('a long reply is measured in several turns of the event loop', async () => {
  const numbers = Buffer.from(`[${'1.5,'.repeat(1_000_000)}2]`);
  let turns = 0;
  let isOver = false;
  const watch = () => {
    turns += 1;
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  await checkStructure(numbers);
  isOver = true;
  expect(turns).toBeGreaterThan(3);
  await expect(checkStructure(Buffer.from(`[${'1.5,'.repeat(1_000_000)}${objects(containersMax)}]`))).rejects.toThrow(
    'too many objects',
  );
});

async function answered(reply: UpstreamReply) {
  const upstream = await startUpstream(reply);
  const fetching = createUpstreamFetch();
  try {
    const { status, body } = await fetching.fetch(upstream.url, { method: 'POST', body: 'x' });
    const reader = body?.getReader();
    let bytes = 0;
    for (let piece = await reader?.read(); piece?.value; piece = await reader?.read()) bytes += piece.value.byteLength;
    return { status, bytes };
  } finally {
    await fetching.close();
    await upstream.close();
  }
}

describe('a reply above its bounds', () => {
  test.each([
    ['whole', { body: objects(containersMax + 1) }],
    ['a stream', { pieces: ['data: {}\n\n', `data: ${objects(eventContainersMax + 1)}\n\n`] }],
  ])('is invalid: %s', async (_, reply) => {
    const failure = await answered(reply).catch(upstreamFailure);
    expect(failure).toEqual({ outcome: 'invalid_reply' });
  });

  test('keeps its status if it is an error, and is read in part only', async () => {
    const { status, bytes } = await answered({ status: 500, body: objects(containersMax * 10) });
    expect(status).toBe(500);
    expect(bytes).toBeLessThanOrEqual(65_536);
  });
});
