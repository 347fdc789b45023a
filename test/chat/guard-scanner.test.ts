import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createJudge, type FindRisks, type Judge, unitsOfJson } from '../../src/chat/guard/judge.ts';
import { createScanner, type Found, mask, unitsOfALook, type Window } from '../../src/chat/guard/scanner.ts';
import { sightingsIn } from '../../src/workflows/index.ts';

const filler = 'The parcel arrives on Monday, and we look forward to seeing you again. ';
const threat = 'I will kill you';
const card = '4111 1111 1111 1111';
const text = `${filler.repeat(6)}🌍 ${threat} tomorrow. ${filler.repeat(9)}My card is ${card}. ${filler.repeat(3)}Bye 🌍`;
const window: Window = { step: 256, ahead: 384, behind: 384 };
const find = (given: string): Found[] => sightingsIn(given, []).filter(({ severity }) => severity !== 'low');

async function pieced(pieces: readonly string[], over = window, finding = find) {
  const scanner = createScanner(finding, over);
  const left: string[] = [];
  for (const piece of pieces) left.push(await scanner.push(piece));
  left.push(await scanner.end());
  return { left, found: scanner.found };
}

test('hides what is found, and nothing else', async () => {
  const { left, found } = await pieced([text]);
  expect(left.join('')).toBe(text.replace(threat, mask).replace(card, mask));
  expect(found.map(({ category }) => category)).toEqual(['threat', 'personal_data']);
});

test('a text cut at any place comes to the same, and no piece shows what is hidden', async () => {
  const whole = (await pieced([text])).left.join('');
  for (let at = 0; at <= text.length; at++) {
    const { left } = await pieced([text.slice(0, at), text.slice(at)]);
    expect(left.join(''), `cut at ${at}`).toBe(whole);
  }
}, 240_000);

test('unit by unit it comes to the same, characters stay whole, and no more than the window waits', async () => {
  const scanner = createScanner(find, window);
  let left = '';
  let taken = 0;
  for (const unit of text.split('')) {
    const piece = await scanner.push(unit);
    taken++;
    expect(piece.isWellFormed()).toBe(true);
    left += piece;
    expect(taken - left.length).toBeLessThanOrEqual(
      window.step + window.ahead + 1 + text.length - text.replace(threat, mask).replace(card, mask).length,
    );
  }
  left += await scanner.end();
  expect(left).toBe((await pieced([text])).left.join(''));
});

test('small windows: for random texts, marks and cuts the marks never leave', async () => {
  let seed = 7;
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((seed / 2_147_483_648) * below);
  };
  const marks = (given: string): Found[] =>
    [...given.matchAll(/x+y/g)].map(({ index, 0: mark }) => ({
      ...{ category: 'a', severity: 'high' },
      ...{ start: index, end: index + mark.length },
    }));
  for (let round = 0; round < 3_000; round++) {
    const given = Array.from({ length: random(40) }, () => 'xxya😀b'.split('')[random(7)] ?? '')
      .join('')
      .replace(/x{4,}/g, 'xxx');
    const over = { step: 1 + random(6), ahead: 5, behind: 5 };
    const pieces: string[] = [];
    for (let at = 0; at < given.length; ) {
      const length = 1 + random(9);
      pieces.push(given.slice(at, at + length));
      at += length;
    }
    const { left } = await pieced(pieces, over, marks);
    const whole = (await pieced([given], over, marks)).left.join('');
    expect(left.join(''), given).toBe(whole);
    expect(whole, given).not.toMatch(/xy/);
    expect(whole.replaceAll(mask, ''), given).toBe(given.replace(/x+y/g, ''));
  }
});

test('JSON stays JSON: strings, names and numbers are looked at by what they mean', async () => {
  const guardrail = { action: 'mask' as const, packs: [], categories: [], leastSeverity: 'medium' as const };
  const judge = createJudge(sightingsIn, guardrail, window);
  const given = `{"note": "Say: \\u0049 will kill you, if you come back", "n": 4111111111111111, "ok": [1, true, "fine"]}`;
  const left = await judge.json(given);
  expect(JSON.parse(left)).toEqual({ note: `Say: ${mask}, if you come back`, n: mask, ok: [1, true, 'fine'] });
  expect(await judge.json(`not json: ${threat}`)).toBe(`not json: ${mask}`);
  expect(judge.outcome().findings).toEqual([
    { category: 'threat', severity: 'critical', count: 2 },
    { category: 'personal_data', severity: 'high', count: 1 },
  ]);
});

test('a long text leaves the event loop to others', async () => {
  const long = filler.repeat(1_500);
  let turns = 0;
  let over = false;
  const count = () => {
    turns++;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const { left } = await pieced([long], { step: 2_000, ahead: 500, behind: 500 });
  over = true;
  expect(left.join('')).toBe(long);
  expect(turns).toBeGreaterThan(long.length / 3_000);
});

const flagging = { action: 'flag' as const, packs: [], categories: [], leastSeverity: 'medium' as const };
const short = filler.repeat(20).slice(0, 1_400);
const manyTexts: Record<string, (judge: Judge) => Promise<unknown>> = {
  '60 short texts': async (judge) => {
    for (let at = 0; at < 60; at++) await judge.text(short);
  },
  '3,000 strings of one list': (judge) =>
    judge.json(JSON.stringify(Array.from({ length: 3_000 }, (_, at) => `a${at}`))),
  '3,000 numbers of one object': (judge) =>
    judge.json(JSON.stringify(Object.fromEntries(Array.from({ length: 3_000 }, (_, at) => [`k${at}`, 10_000 + at])))),
  '200 calls of tools': async (judge) => {
    for (let at = 0; at < 200; at++) await judge.json(`{"note":"${short.slice(0, 200)}"}`);
  },
};

test.each(Object.entries(manyTexts))('%s leave the event loop to others', async (_name, judged) => {
  let over = false;
  let sinceTurn = 0;
  let most = 0;
  const count = () => {
    sinceTurn = 0;
    if (!over) setImmediate(count);
  };
  setImmediate(count);
  const looked: FindRisks = (given) => {
    sinceTurn += given.length + unitsOfALook;
    most = Math.max(most, sinceTurn);
    return [];
  };
  await judged(createJudge(looked, flagging, { step: 2_000, ahead: 500, behind: 500 }));
  over = true;
  // A turn has 3,000 units, and what is looked at together.
  expect(most).toBeLessThanOrEqual(3_000 + unitsOfALook);
  expect(most).toBeGreaterThan(2_000);
});

test('one string of 12 million characters is judged, escaped or not, and a number of as many digits', async () => {
  for (const long of [
    JSON.stringify({ a: 'x'.repeat(12_000_000) }),
    `["${'\\\\'.repeat(6_000_000)}"]`,
    `[${'1'.repeat(12_000_000)}]`,
  ])
    expect(unitsOfJson(long)).toBe(long.length + unitsOfALook * (long.startsWith('{') ? 3 : 2));
});

test('JSON has the strings and numbers that a regular expression finds in it', () => {
  const literals = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]{4,}/g;
  const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
  const key = fc.string({ unit: 'grapheme' });
  const value = fc.json({ stringUnit: 'grapheme' });
  fc.assert(
    fc.property(value, number, key, (json, one, name) => {
      const text = `{"a":${json},${JSON.stringify(name)}:[${one},true,false,null,"\\\\","\\""]}`;
      const found = [...text.matchAll(literals)].filter(([literal]) => literal !== '""').length;
      expect(unitsOfJson(text)).toBe(text.length + unitsOfALook * (1 + found));
    }),
    { numRuns: 2_000 },
  );
});
