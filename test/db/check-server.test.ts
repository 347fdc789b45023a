import { expect, test } from 'vitest';
import { findProblems } from '../../src/db/check-server.ts';
import { checkServer } from '../../src/db/index.ts';
import { eachServer, useDatabase } from '../support/database.ts';

const fit = {
  version: '10.11.6-MariaDB',
  sqlMode: 'STRICT_TRANS_TABLES',
  flushLogAtCommit: 1,
  binaryLog: true,
  syncBinaryLog: 1,
};

test.each([
  ['a server that truncates values', { sqlMode: 'NO_ENGINE_SUBSTITUTION' }, /sql_mode is not strict/],
  ['a server that loses commits in a crash', { flushLogAtCommit: 2 }, /Set it to 1/],
  ['a binary log that is not synced', { syncBinaryLog: 0 }, /Set sync_binlog to 1/],
  ['MariaDB before 10.11', { version: '10.6.18-MariaDB' }, /Use MariaDB 10.11 or later/],
  ['MySQL before 8.4', { version: '8.0.39' }, /MySQL 8.4 or later/],
])('%s is refused, with the remedy', (_, change, problem) => {
  expect(findProblems({ ...fit, ...change })).toEqual([expect.stringMatching(problem)]);
});

test.each(['10.11.19-MariaDB-0+deb12u1', '11.4.2-MariaDB', '8.4.0', '9.7.4-2', '8.0.11-TiDB-v8.5.0'])(
  '%s is accepted',
  (version) => {
    expect(findProblems({ ...fit, version })).toEqual([]);
  },
);

test('without a binary log its syncing does not matter', () => {
  expect(findProblems({ ...fit, binaryLog: false, syncBinaryLog: 0 })).toEqual([]);
});

eachServer((server) => {
  const fresh = useDatabase(server);
  test('the test server is fit for a ledger', async () => {
    await checkServer(fresh().database);
  });
});
