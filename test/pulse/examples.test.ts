import { execFile } from 'node:child_process';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import type { RunningServer } from '../../src/edge/index.ts';
import type { Pulse } from '../../src/pulse/index.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { startPulseServer } from './server.ts';
import { MemoryLedger, startPulse } from './support.ts';

const fresh = useDatabase(firstServer());
let pulse: Pulse;
let server: RunningServer;
beforeAll(async () => {
  pulse = startPulse(fresh().database, new MemoryLedger(), { clock: systemClock });
  server = await startPulseServer(pulse);
});
afterAll(async () => {
  await server.close(0);
  await pulse.close();
});

function run(example: string, key: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { PATH: process.env.PATH, BASE_URL: server.url, API_KEY: key };
    execFile(process.execPath, [`examples/${example}.ts`], { env, timeout: 20_000 }, (error, stdout) =>
      error ? reject(error) : resolve(stdout),
    );
  });
}

test('the example over JSON records a session and gets its report', async () => {
  const printed = await run('pulse-rest', 'api acc_rest_example');
  expect(printed).toContain('recorded 200');
  expect(printed).toContain('accepted: 4');
  expect(printed).toContain('report 200');
  expect(printed).toContain('Fix error CARD_DECLINED at step "payment"');
});

test('the example over gRPC records events and lists journeys', async () => {
  const printed = await run('pulse-grpc', 'api acc_grpc_example');
  expect(printed).toContain('accepted: 1');
  expect(printed).toContain("reason: 'id_invalid'");
  expect(printed).toContain('sessionsLast30Days: 1n');
});
