import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tryOpenings } from './openings/run.ts';

// Any first bytes of a connection, below HTTP: the process lives on, still answers, and no socket outlives its grace time.
// OPENINGS: how many (by hand: 100000). OPENINGS_SEED: another run.

const count = Number(process.env.OPENINGS ?? 3_000) / 2;
const seed = Number(process.env.OPENINGS_SEED ?? 13);

let folder: string;
let tls: { certFile: string; keyFile: string };
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'openings-'));
  tls = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
      ...['-subj', '/CN=localhost', '-keyout', tls.keyFile, '-out', tls.certFile],
    ],
    { stdio: 'ignore' },
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(['in clear text', 'by TLS'])(
  'random openings, %s, end no process and leave no socket',
  async (how) => {
    const outcome = await tryOpenings({ seed, count, parallel: 32, ...(how === 'by TLS' && { tls }) });
    // Printed, so that a run by hand says what it saw.
    process.stdout.write(`${count} openings ${how}, seed ${seed}: ${JSON.stringify(outcome)}\n`);
    expect(outcome).toMatchObject({ exit: undefined, left: 0, healthy: true });
    expect(outcome.stderr).toBe('');
  },
  120_000 + count * 20,
);
