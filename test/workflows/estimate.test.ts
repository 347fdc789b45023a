import { create } from '@bufbuild/protobuf';
import { afterEach, expect, test, vi } from 'vitest';
import { unwrap } from '../../src/base/failure.ts';
import { atOnce } from '../../src/base/slices.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { call, caller, useAssisted } from './assisted.ts';

const assisted = useAssisted();
afterEach(() => void vi.restoreAllMocks());

const requestOf = (text: string, assist = '') => create(CheckRiskRequestSchema, { text, assist });
const estimate = async (text: string, assist?: string) =>
  unwrap(
    await assisted().workflows.estimate(caller, { family: 'risk', request: requestOf(text, assist) }, call.signal),
  );

/** How many requests the rules judge from now on. */
function countJudged(): () => number {
  const { prepare } = riskFamily;
  let judged = 0;
  vi.spyOn(riskFamily, 'prepare').mockImplementation((request, terms) => {
    const prepared = atOnce(prepare(request, terms));
    if (!prepared.ok) return prepared;
    const { compute } = prepared.value;
    const counting = (own: Parameters<typeof compute>[0]) => {
      judged++;
      return compute(own);
    };
    return { ok: true, value: { ...prepared.value, compute: counting } };
  });
  return () => judged;
}

test('an estimate judges no long text, and none at all by rules alone', async () => {
  const judged = countJudged();
  expect(await estimate('Guaranteed returns. '.repeat(10_000))).toMatchObject({ assisted: true });
  expect(await estimate('Guaranteed returns. '.repeat(10_000), 'off')).toMatchObject({ assisted: false });
  expect(await estimate('Guaranteed returns.', 'off')).toMatchObject({ assisted: false });
  expect(judged()).toBe(0);
  await estimate('Guaranteed returns.');
  expect(judged()).toBe(1);
});

test('what a long request holds is at most its estimate, in any script', async () => {
  const { ledger, workflows, say } = assisted();
  ledger.balance = 1_000_000_000_000n;
  say('{}');
  const hold = vi.spyOn(ledger, 'hold');
  await workflows.run('risk', caller, requestOf('The first one.'), call);
  for (const text of [
    'Pay a deposit by wire today, or you will regret it. '.repeat(200),
    'Überweisen Sie heute eine Anzahlung für die Küche. '.repeat(1_000),
    '保证收益。今天汇款。'.repeat(900),
    '😀'.repeat(9_000),
    'x'.repeat(299_000),
  ]) {
    const { ceiling, rules } = await estimate(text);
    hold.mockClear();
    await workflows.run('risk', caller, requestOf(text), call);
    const held = hold.mock.calls[0]?.[0].ceiling ?? 0n;
    expect(held).toBeGreaterThan(rules);
    expect(ceiling).toBeGreaterThanOrEqual(held);
  }
});
