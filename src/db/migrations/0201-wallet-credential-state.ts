/**
 * Which credentials may pay. Every hold reads its rows with locks in its own commit, so nothing is admitted with a key after the
 * key's revocation was committed, whatever any node has cached.
 *
 * The room that owns a credential writes its row in its own transactions: lock it first (`SELECT ... FOR UPDATE`; it waits a few
 * milliseconds for holds in flight), then change it, with times read after the lock. A hold is admitted when
 * - its API key has a row with state `active`, `expires_at_ms` absent or in the future, and the hold's key version is at least
 *   `least_version`, or `least_version_from_ms` (the end of a rotation's overlap) is still to come;
 * - no row with state `revoked` exists for its token or device. (These need no row while they are valid.)
 */
export const statements: readonly string[] = [
  `
    CREATE TABLE credential_state (
      id VARBINARY(40) NOT NULL PRIMARY KEY,
      account_id VARBINARY(40) NOT NULL,
      state VARBINARY(16) NOT NULL,
      least_version BIGINT NOT NULL,
      least_version_from_ms BIGINT NULL,
      expires_at_ms BIGINT NULL,
      revoked_at_ms BIGINT NULL,
      CONSTRAINT credential_state_known CHECK (state IN ('active', 'revoked')),
      CONSTRAINT credential_state_revoked CHECK ((state = 'revoked') = (revoked_at_ms IS NOT NULL))
    ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4
  `,
];
