import { expect, test } from 'vitest';
import { createJudge } from '../../src/chat/guard/judge.ts';
import { createScanner, type Found, mask, type Window } from '../../src/chat/guard/scanner.ts';
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
    { category: 'threat', severity: 'high', count: 2 },
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
}, 60_000);
