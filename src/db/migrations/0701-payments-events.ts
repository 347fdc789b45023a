/** What payment providers report. Times are microseconds since the Unix epoch by the database's own clock. */
export const statements: readonly string[] = [
  // Each event once, forever. `fact` is what it says about money, without the customer's data. `next_attempt_at_us` is set
  // exactly while the event is parked, so that its index lists what is due.
  `CREATE TABLE provider_event (
    provider VARBINARY(40) NOT NULL,
    event_id VARBINARY(255) NOT NULL,
    type VARBINARY(100) NOT NULL,
    payment VARBINARY(255) NULL,
    fact TEXT NOT NULL,
    state VARBINARY(12) NOT NULL,
    problem VARCHAR(500) NULL,
    attempts INT NOT NULL DEFAULT 0,
    created_at_us BIGINT NOT NULL,
    next_attempt_at_us BIGINT NULL,
    PRIMARY KEY (provider, event_id),
    KEY provider_event_due (next_attempt_at_us),
    KEY provider_event_payment (provider, payment),
    CONSTRAINT provider_event_state CHECK (state IN ('parked', 'done', 'ignored', 'failed')),
    CONSTRAINT provider_event_open CHECK ((state = 'parked') = (next_attempt_at_us IS NOT NULL))
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
  // Which top-up a payment paid: refunds and disputes name only the payment.
  `CREATE TABLE provider_payment (
    provider VARBINARY(40) NOT NULL,
    payment VARBINARY(255) NOT NULL,
    top_up_id VARBINARY(40) NOT NULL,
    PRIMARY KEY (provider, payment)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`,
];
