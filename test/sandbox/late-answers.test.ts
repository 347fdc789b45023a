import { expect, test } from 'vitest';
import { startChild } from '../../src/sandbox/child-process.ts';
import { createSandbox, type Sandbox } from '../../src/sandbox/index.ts';
import { silent } from '../support/database.ts';

/** Takes some hundred milliseconds of a processor, and ends. */
const slow = 'input.list.all(a, input.list.all(b, a + b >= 0))';
const variables = { input: { list: Array.from({ length: 1_000 }, (_, at) => at) } };
const others = Array.from({ length: 12 }, (_, at) => `acc_other_${at}`);

function checkIn(sandbox: Sandbox, owner: string, pass: string) {
  const checks = [{ id: 'own', pass, weight: 1 }];
  return sandbox.run(owner, 'checks', { checks, variables }, { field: `checks_of_${owner}` });
}

test('who is served next is not blamed for a process that was told to end and answers first', async () => {
  let told = 0;
  const ends: (() => void)[] = [];
  // As where the answer is on its way already: a process is ended only once it has answered, and somebody else could be served.
  const endsLate: typeof startChild = (memoryMb, events) => {
    let late: (() => void) | undefined;
    const child = startChild(memoryMb, {
      ...events,
      answered(answer, cpuMs) {
        events.answered(answer, cpuMs);
        if (late) setImmediate(late);
      },
    });
    return {
      ...child,
      get isBounded() {
        return child.isBounded;
      },
      kill() {
        told += 1;
        late = () => child.kill();
        ends.push(late);
      },
    };
  };
  const sandbox = createSandbox({
    log: silent,
    settings: { jobMs: 20, waitMs: 60_000, processes: 2 },
    startChild: endsLate,
  });
  try {
    const check = (owner: string, pass: string) => checkIn(sandbox, owner, pass);
    const blamed = check('acc_slow', slow);
    const served = others.map((owner) => check(owner, 'input.list.size() == 1000'));
    expect(await blamed).toMatchObject({
      failure: { kind: 'invalid_argument', violations: [{ field: 'checks_of_acc_slow' }] },
    });
    expect(told).toBe(1);
    const passed = { ok: true, value: { outcomes: ['passed'] } };
    expect(await Promise.all(served)).toEqual(others.map(() => passed));
  } finally {
    const closing = sandbox.close();
    for (const end of ends) end();
    await closing;
  }
});

test('where the system bounds processes, one that it failed to bound runs nothing and is replaced', async () => {
  let started = 0;
  const ranIn: number[] = [];
  const unboundedSecond: typeof startChild = (memoryMb, events) => {
    const at = ++started;
    const child = startChild(memoryMb, events);
    return {
      ...child,
      get isBounded() {
        return at !== 2;
      },
      send(jobs) {
        ranIn.push(at);
        child.send(jobs);
      },
    };
  };
  const settings = { waitMs: 60_000, processes: 2 };
  const sandbox = createSandbox({ log: silent, settings, startChild: unboundedSecond });
  try {
    // The first of an owner's jobs has the first process; another owner's waits for the second.
    const jobs = () => others.map((owner) => checkIn(sandbox, owner, 'input.list.size() == 1000'));
    while (started < 3) await Promise.all(jobs());
    await Promise.all(jobs());
    expect(ranIn).not.toContain(2);
  } finally {
    await sandbox.close();
  }
});
