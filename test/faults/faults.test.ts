import { expect, test } from 'vitest';
import { runFaults } from './run.ts';

test('a key pays once and what clients were told is what is stored, after kills of nodes and of the database and a freeze', {
  timeout: 180_000,
}, async () => {
  const seed = Number(process.env.FAULTS_SEED ?? Date.now() % 1_000_000);
  console.info(`faults: seed ${seed}`);
  const report = await runFaults({ seed, requests: 2_000, nodeKills: 2, databaseKills: 2, freezes: 1 });
  expect(report.problems, `seed ${seed}`).toEqual([]);
  expect(report.told).toMatchObject({ nodeKills: 2, databaseKills: 2, freezes: 1 });
  expect(report.acknowledged).toBeGreaterThan(1_000);
  expect(report.told.deferred).toBeGreaterThan(100);
});
