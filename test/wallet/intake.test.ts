import { expect, test } from 'vitest';
import { newId } from '../../src/base/ids.ts';
import { createIntake } from '../../src/wallet/intake.ts';
import { holdOf, holdOperation } from './support.ts';

test('wallets take turns, and the next group begins where the last one ended', () => {
  const intake = createIntake({ waitingMax: 100, operationsPerGroupMax: 3, bytesPerGroupMax: 1_000 });
  for (const walletId of ['a', 'a', 'a', 'a', 'b', 'b', 'b', 'b', 'c']) {
    const operation = holdOperation(walletId, holdOf({ accountId: newId('acc'), keyId: newId('key') }));
    intake.add({ operation, bytes: 1, resolve: () => {}, reject: () => {}, abandoned: false });
  }
  const groups: string[] = [];
  while (intake.size > 0)
    groups.push(
      intake
        .take()
        .map(({ operation }) => operation.walletId)
        .join(''),
    );
  expect(groups).toEqual(['abc', 'aba', 'bab']);
});
