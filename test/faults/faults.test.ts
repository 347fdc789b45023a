import { expect, test } from 'vitest';
import { runFaults } from './run.ts';

test('what clients were told is what is stored, after kills of nodes and of the database', {
  timeout: 180_000,
}, async () => {
  const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 1_000_000);
  console.info(`faults: seed ${seed}`);
  const report = await runFaults({ seed, requests: 2_000, nodeKills: 2, databaseKills: 2, freezes: 0 });
  expect(report.problems, `seed ${seed}`).toEqual([]);
  expect(report).toMatchObject({ nodeKills: 2, databaseKills: 2 });
  expect(report.acknowledged).toBeGreaterThan(1_000);
  expect(report.ahead).toBeGreaterThan(100);
});
