import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createJudge, type FindRisks, inputWindow, outputWindow } from '../../src/chat/guard/judge.ts';
import { createScanner, type Found, mask, type Window } from '../../src/chat/guard/scanner.ts';
import { sightingsIn } from '../../src/workflows/index.ts';

const filler = 'The parcel arrives on Monday, and we look forward to seeing you again. ';
const card = '4111 1111 1111 1111';
const threat = 'I will kill you';
const email = 'ann.lee@shop.example';
const guardrail = { action: 'mask' as const, packs: [], categories: [], leastSeverity: 'low' as const };
const find: FindRisks = (text) => sightingsIn(text, []);
const unassessed = { category: 'not_assessed', severity: 'critical', count: 1 };

async function judged(text: string, window: Window = outputWindow) {
  const judge = createJudge(find, guardrail, window);
  return { left: await judge.text(text), findings: judge.outcome().findings };
}

async function pieced(text: string, cuts: readonly number[]) {
  const scanner = createScanner((given) => find(given, [], false) as Found[], outputWindow);
  let left = '';
  let from = 0;
  for (const cut of [...cuts, text.length].sort((a, b) => a - b)) {
    left += await scanner.push(text.slice(from, cut));
    from = cut;
  }
  return { left: left + (await scanner.end()), found: scanner.found };
}

const invisible = [
  '\u200b',
  '\u200d',
  '\u2060',
  '\ufeff',
  '\u00ad',
  '\u202e',
  '\u0000',
  '\u0336',
  '\ufe0f',
  '\u{e0101}',
];

test.each([card, threat, email])('no number of invisible characters hides a finding: %s', async (hidden) => {
  for (const count of [1, 5, 20, 400, 10_000])
    for (const between of invisible.slice(0, count > 400 ? 2 : undefined)) {
      const written = [...hidden].join(between.repeat(count));
      const text = `${filler.repeat(3)}So: ${written}, now. ${filler.repeat(7)}`;
      for (const window of [outputWindow, inputWindow])
        expect((await judged(text, window)).left, `${count} of ${JSON.stringify(between)}`).toBe(
          text.replace(written, mask),
        );
    }
});

test('one long gap hides nothing, either, and what was not judged counts whatever is looked for', async () => {
  const gap = '\u200b'.repeat(10_000);
  const { left, findings } = await judged(`Pay with 4111${gap} 1111 1111 1111.`);
  expect(left).toBe(`Pay with ${mask}.`);
  expect(findings).toContainEqual({ category: 'personal_data', severity: 'high', count: 1 });
  expect(findings).toContainEqual(unassessed);

  const judge = createJudge(find, { ...guardrail, categories: ['threat'], leastSeverity: 'critical' }, outputWindow);
  expect(await judge.text(`Hello${gap}, Ann.`)).toBe(`Hello${'\u200b'.repeat(37)}${mask}, Ann.`);
  expect(judge.found).toBe(true);
  expect(judge.outcome().findings).toEqual([unassessed]);
});

test.each([
  ['I will kill ann.lee@shop.example tomorrow.', email],
  ['WhatsApp: +49 170 1234567, pay outside.', '+49 170 1234567'],
])('a graver finding does not hide personal data from whom looks for that alone: %s', async (text, data) => {
  const looked = { ...guardrail, categories: ['personal_data'] };
  const judge = createJudge(find, looked, outputWindow);
  expect(await judge.text(text)).toBe(text.replace(data, mask));
  // Whoever looks for both sees no part of either.
  const all = (await judged(text)).left;
  expect(all).not.toContain('example');
  expect(all).not.toContain('1234567');
});

test.each([
  'Family 👨‍👩‍👧‍👦, flags 🏴󠁧󠁢󠁳󠁣󠁴󠁿🏴󠁧󠁢󠁥󠁮󠁧󠁿🇩🇪, ❤️‍🔥 and 1️⃣ 2️⃣.',
  'Z̷̢̛̲̳̭̣̻͉̓̈́̄͊͝a̸̧̢̛͚̲͎̞̓͂̋l̵̡̨̛̖̗͔̎g̶̠̦̈́͊̚o̵̢̺̓ is only fun.',
  'မြွှေ နှင့် ကျွန်ုပ်တို့၊ རྐྱེན་ བསྒྲུབས་',
  'می‌خواهم کتاب‌ها را ببینم، שָׁלוֹם עֲלֵיכֶם',
  'Donau\u00addampf\u00adschiff\u00adfahrts\u00adgesell\u00adschaft\u200b, e\u0301te\u0301, \ufeffBOM',
  'ភាសា\u200bខ្មែរ\u200bល្អ, ภาษาไทยที่ดี, हिन्दी में लिखा हुआ',
])('ordinary text stays as it is: %s', async (text) => {
  expect(await judged(text)).toEqual({ left: text, findings: [] });
  expect(await judged(`${filler}${text} `.repeat(20))).toEqual({ left: `${filler}${text} `.repeat(20), findings: [] });
});

test('a text cut at any places comes to the same, whatever its characters are', { timeout: 240_000 }, async () => {
  const hidden = fc
    .tuple(fc.constantFrom(card, threat, email), fc.constantFrom(...invisible), fc.integer({ min: 0, max: 60 }))
    .map(([plain, between, count]) => [...plain].join(between.repeat(count)));
  const gap = fc
    .tuple(fc.constantFrom(...invisible), fc.constantFrom(1, 4, 5, 6, 36, 37, 38, 300))
    .map(([one, count]) => one.repeat(count));
  const piece = fc.oneof(hidden, gap, fc.constantFrom(filler, '🌍 ', 'é', '\ud800', '\udc00', ' ', '7', '🏴󠁧󠁢󠁳󠁣󠁴󠁿'));
  await fc.assert(
    fc.asyncProperty(
      fc.array(piece, { maxLength: 14 }),
      fc.array(fc.nat({ max: 4_000 }), { maxLength: 12 }),
      async (pieces, cuts) => {
        const text = pieces.join('');
        const whole = await pieced(text, []);
        const cut = await pieced(
          text,
          cuts.filter((at) => at < text.length),
        );
        expect(cut.left).toBe(whole.left);
        expect([...cut.found].map(({ category }) => category).sort()).toEqual(
          [...whole.found].map(({ category }) => category).sort(),
        );
        if (whole.found.length === 0) expect(whole.left).toBe(text);
      },
    ),
    { numRuns: 120 },
  );
});

test('unit by unit, no more waits than the window and its rests, and a stream of nothing visible is not kept', async () => {
  const scanner = createScanner(() => [], outputWindow);
  const runUnits = 1 + 5 + 32 + mask.length;
  let taken = 0;
  let left = 0;
  for (const unit of `a${'\u200b'.repeat(60)}`.repeat(400)) {
    left += (await scanner.push(unit)).length;
    if (unit === 'a') taken += runUnits;
    expect(taken - left).toBeLessThanOrEqual(((outputWindow.step + outputWindow.ahead) / 6 + 2) * runUnits);
  }
  const endless = createScanner(() => [], outputWindow);
  for (let at = 0; at < 2_000; at++) await endless.push('\u200b'.repeat(1_000));
  expect((await endless.end()).length).toBe(5 + 32 + mask.length);
});

test('JSON is read by what it means: escapes, and whole numbers with an exponent', async () => {
  const judge = createJudge(find, guardrail, outputWindow);
  const args = `{"a":"4\\u200b111 1\\u0661\\uff111 1111 1111","b":4.111111111111111e15,"c":4111111111111111.0,"d":4.5e3,"e":1e400,"f":1.5e-7}`;
  expect(await judge.json(args)).toBe(`{"a":"${mask}","b":"${mask}","c":"${mask}.0","d":4.5e3,"e":1e400,"f":1.5e-7}`);
});

test('plain text costs nearly nothing more', async () => {
  const text = filler.repeat(7_000);
  const cpuMsOf = async () => {
    const begun = process.cpuUsage();
    const scanner = createScanner(() => [], inputWindow);
    expect((await scanner.push(text)).length + (await scanner.end()).length).toBe(text.length);
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1_000;
  };
  await cpuMsOf();
  expect(await cpuMsOf()).toBeLessThan(100);
});
