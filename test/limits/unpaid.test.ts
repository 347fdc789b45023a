import { expect, test } from 'vitest';
import { createUnpaidWork, unpaidMost } from '../../src/limits/index.ts';

test('what an account may leave unpaid comes back in an hour, and is its own', () => {
  let ms = 5;
  const unpaid = createUnpaidWork({ monotonic: () => ms }, 'answers that did not fit');
  unpaid.note('acc_1', unpaidMost - 1n);
  expect(unpaid.may('acc_1').ok).toBe(true);
  unpaid.note('acc_1', 1n);
  const refused = unpaid.may('acc_1');
  expect(refused).toMatchObject({ ok: false, failure: { kind: 'rate_limited', retryAfterMs: 1 } });
  expect(unpaid.may('acc_2').ok).toBe(true);
  ms += 1;
  expect(unpaid.may('acc_1').ok).toBe(true);
  // Overrun by what was under way: it has to come back first.
  unpaid.note('acc_1', unpaidMost / 2n);
  const over = unpaid.may('acc_1');
  const retryAfterMs = over.ok || over.failure.kind !== 'rate_limited' ? 0 : over.failure.retryAfterMs;
  expect(retryAfterMs).toBe(1_800_000);
  ms += retryAfterMs - 1;
  expect(unpaid.may('acc_1').ok).toBe(false);
  ms += 1;
  expect(unpaid.may('acc_1').ok).toBe(true);
  ms += 3_600_000;
  unpaid.note('acc_1', unpaidMost - 1n);
  expect(unpaid.may('acc_1').ok).toBe(true);
});
