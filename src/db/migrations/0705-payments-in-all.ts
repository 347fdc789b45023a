export const statements: readonly string[] = [
  // The total paid, in hundredths, including tax and other additions: refunds and disputes are parts of this total, and so is the
  // credited amount. NULL: not recorded, so all of it counts as credited.
  'ALTER TABLE provider_payment ADD COLUMN paid_cents BIGINT NULL',
];
