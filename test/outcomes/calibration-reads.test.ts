import { pino } from 'pino';
import { expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { createOutcomes, encodeJudgement } from '../../src/outcomes/index.ts';
import { putOutcomes } from '../../src/outcomes/outcomes-store.ts';
import { eachServer, useDatabase } from '../support/database.ts';

eachServer((server) => {
  const fresh = useDatabase(server);
  const open = () =>
    createOutcomes({ db: fresh().database, clock: systemClock, log: pino({ level: 'silent' }), retentionDays: 90 });
  const query = (accountId: string) => ({ accountId, fromMs: 0, toMs: 10_000, family: undefined, adverse: [] });

  async function report(accountId: string, count: number, checkOf: (outcome: number, check: number) => string) {
    const rows = Array.from({ length: count }, (_, at) => ({
      ...{ chargeId: `chg_${at}`, outcome: at % 2 === 0 ? 'sold' : 'disputed', value: undefined },
      ...{ occurredMs: at, reportedMs: at },
      content: encodeJudgement({
        ...{ family: 'readiness', pack: 'p@1', score: 50, level: 'ready' },
        checks: Array.from({ length: 500 }, (_, check) => ({ id: checkOf(at, check), outcome: 'passed', weight: 1 })),
      }),
    }));
    for (let at = 0; at < count; at += 100) await putOutcomes(fresh().database, accountId, rows.slice(at, at + 100));
  }

  test('outcomes whose checks are ever new ones are read only as far as they fit in memory, and the report says so', async () => {
    await report('acc_alike', 600, (_, check) => `check-${check}`);
    await report('acc_new', 600, (outcome, check) => `${outcome * 500 + check}`);
    const outcomes = open();
    expect(await outcomes.calibration(query('acc_alike'))).toMatchObject({ value: { outcomes: 600, cut: false } });
    // 100,000 checks are those of 200 outcomes; a page has 250.
    expect(await outcomes.calibration(query('acc_new'))).toMatchObject({ value: { outcomes: 250, cut: true } });
    await outcomes.close();
  });

  test('an account has one report at one time; two wait, and a further one is refused', async () => {
    const outcomes = open();
    const asked = await Promise.allSettled(Array.from({ length: 4 }, () => outcomes.calibration(query('acc_none'))));
    expect(asked.map((one) => (one.status === 'fulfilled' ? one.value.ok : one.reason.failure.kind))).toEqual([
      ...[true, true, true],
      'overloaded',
    ]);
    expect(await outcomes.calibration(query('acc_none'))).toMatchObject({ ok: true });
    await outcomes.close();
  });
});
