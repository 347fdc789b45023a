import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { attacks } from './attacks/index.ts';
import { judge, type Measured, mustRepeat, sharedBounds } from './judge.ts';
import { takenByOthers } from './proc.ts';
import type { WatchAnswer } from './watch.ts';

const calm: Measured = {
  answers: { '400': 12 },
  right: ['400', '429'],
  ended: undefined,
  longest: { cpuMs: 4, wallMs: 900 },
  residentBytes: { before: 300_000_000, after: 350_000_000 },
  calmLatenciesMs: Array.from({ length: 100 }, (_, at) => at / 4),
  latenciesMs: Array.from({ length: 100 }, (_, at) => at / 3),
  failures: {},
  found: [],
  takenByOthers: 0.05,
};

test('a service that refuses and goes on stands, also when a turn waited long for its processor', () => {
  expect(judge(calm)).toMatchObject({ problems: [], grown: [], slow: [], untimed: false });
});

const slow = { longest: { cpuMs: 60, wallMs: 60 } };
const cases: [string, Partial<Measured>, string][] = [
  ['an exit', { ended: 'exited with 1' }, 'the service exited with 1'],
  ['a loop that never turns', { longest: undefined }, 'the event loop stands still'],
  ['a turn that is far too long', { longest: { cpuMs: 201, wallMs: 201 } }, 'a turn of 201 ms (at most 50 ms)'],
  ['an answer that is not right', { answers: { '400': 1, '500': 3 } }, '3 answers were 500, not 400, 429'],
  ['no answer', { answers: {} }, 'nothing was sent'],
  ['a good caller who is refused', { failures: { '503': 2 } }, '2 requests of the good caller: 503'],
  ['what the attack finds', { found: ['a page of 9 bytes'] }, 'a page of 9 bytes'],
];

test.each(cases)('%s is a problem, on a busy machine as well', (_name, change, problem) => {
  expect(judge({ ...calm, ...change }).problems).toEqual([problem]);
  expect(judge({ ...calm, ...change, takenByOthers: 0.9 }).problems).toEqual([problem]);
});

test('memory that stays counts when it grows again, as the allocator keeps what a first attack needed', () => {
  const grown = judge({ ...calm, residentBytes: { before: 1, after: 200_000_002 }, takenByOthers: 0.9 });
  expect(grown).toMatchObject({ problems: [], grown: ['memory grew by 200 MB (at most 200 MB)'] });
  for (const timesCount of [true, false]) {
    expect(mustRepeat([grown], { timesCount })).toBe(true);
    expect(mustRepeat([grown, grown], { timesCount })).toBe(false);
    expect(mustRepeat([grown, judge(calm)], { timesCount })).toBe(false);
    // A try that was repeated for its time says nothing of memory.
    expect(mustRepeat([judge({ ...calm, ...slow }), grown], { timesCount })).toBe(true);
    expect(mustRepeat([{ ...grown, problems: ['an exit'] }], { timesCount })).toBe(false);
  }
});

test('times are tried three times where they count, and what is certain once', () => {
  const late = judge({ ...calm, ...slow });
  expect(mustRepeat([late, late], { timesCount: true })).toBe(true);
  expect(mustRepeat([late, late, late], { timesCount: true })).toBe(false);
  expect(mustRepeat([late], { timesCount: false })).toBe(false);
  expect(mustRepeat([judge({ ...calm, ...slow, takenByOthers: 0.9 })], { timesCount: true })).toBe(true);
  expect(mustRepeat([judge(calm)], { timesCount: true })).toBe(false);
});

test('what a busy machine can cause counts only on one that is not', () => {
  expect(judge({ ...calm, ...slow }).slow).toEqual(['a turn of 60 ms (at most 50 ms)']);
  expect(judge({ ...calm, ...slow, takenByOthers: 0.9 })).toMatchObject({ slow: [], untimed: true });
  const late = { latenciesMs: calm.latenciesMs.map((ms) => ms * 3) };
  expect(judge({ ...calm, ...late }).slow).toEqual(["the good caller's p99 is 98 ms, 4.0 times 25 ms"]);
  const unanswered = { ...calm, answers: { '400': 1, timeout: 2, open: 1 } };
  expect(judge(unanswered).slow).toEqual(['2 answers were timeout, not 400, 429', '1 answers were open, not 400, 429']);
  expect(judge({ ...unanswered, takenByOthers: 0.9 })).toMatchObject({ problems: [], slow: [], untimed: true });
  const impatient = { ...calm, failures: { UND_ERR_HEADERS_TIMEOUT: 2 } };
  expect(judge(impatient).slow).toEqual(['2 requests of the good caller: UND_ERR_HEADERS_TIMEOUT']);
  // Below the floor it is fine, however fast the baseline was.
  expect(judge({ ...calm, calmLatenciesMs: [1], latenciesMs: [49] }).slow).toEqual([]);
});

test('on a machine that is shared, only a turn of seconds counts', () => {
  const of = (cpuMs: number) => judge({ ...calm, longest: { cpuMs, wallMs: cpuMs } }, sharedBounds);
  expect(of(900)).toMatchObject({ problems: [], slow: [], untimed: true });
  expect(of(1_001).problems).toEqual(['a turn of 1001 ms (at most 50 ms)']);
});

test('what others took is what was used and was not ours', () => {
  const before = { all: 1_000, used: 500, own: 300 };
  expect(takenByOthers(before, { all: 1_200, used: 650, own: 420 })).toBeCloseTo(0.15);
  expect(takenByOthers(before, before)).toBe(0);
});

test('attacks have names of their own, so that each can be run alone', () => {
  const names = attacks.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const { name } of attacks) expect(name).toMatch(/^[a-z0-9.-]{1,22}$/);
});

test('the watch counts a turn that computes, and not one that waits', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'watched-'));
  mkdirSync(join(folder, 'src'));
  const program = join(folder, 'src/main.ts');
  writeFileSync(
    program,
    `setInterval(() => {}, 60_000);
    const computed = () => process.threadCpuUsage().user / 1000;
    process.on('message', ({ act }) => {
      const end = computed() + 400;
      if (act === 'compute') while (computed() < end) {}
      if (act === 'wait') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 400);
    });`,
  );
  const child = spawn(process.execPath, [program], {
    env: { NODE_OPTIONS: `--import=${new URL('./watch.ts', import.meta.url).href}` },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  // The watch answers before the program acts, so what it did is in the answer to the next question.
  const ask = async (act?: string): Promise<WatchAnswer> => {
    const answer = once(child, 'message');
    child.send({ id: 1, collect: false, act });
    return (await answer)[0];
  };
  try {
    await ask('wait');
    const { longest: waited, residentBytes } = await ask('compute');
    expect(waited.wallMs).toBeGreaterThan(300);
    expect(waited.cpuMs).toBeLessThan(200);
    expect(residentBytes).toBeGreaterThan(10_000_000);
    expect((await ask()).longest.cpuMs).toBeGreaterThan(300);
  } finally {
    child.kill();
    rmSync(folder, { recursive: true, force: true });
  }
});
