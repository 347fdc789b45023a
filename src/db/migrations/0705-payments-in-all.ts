export const statements: readonly string[] = [
  // What was paid in all, in hundredths, with tax and what else was added: refunds and disputes are parts of this, and what was credited is
  // another. NULL: it was not noted, so all of it counts as credited.
  'ALTER TABLE provider_payment ADD COLUMN paid_cents BIGINT NULL',
];
