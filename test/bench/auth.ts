// What authentication costs, in CPU time of this process: a warm API key and a warm access token through the same
// function that the gate calls, and what a flood of wrong credentials does to good ones. Run: npm run bench:auth
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { decodeProtectedHeader, generateKeyPair, SignJWT } from 'jose';
import { pino } from 'pino';
import { systemClock } from '../../src/base/clock.ts';
import { unwrap } from '../../src/base/failure.ts';
import { newId } from '../../src/base/ids.ts';
import { createSeal } from '../../src/base/seal.ts';
import { createCredentialChanges } from '../../src/db/credential-changes.ts';
import { connectDatabase, migrate, startPrivateServer } from '../../src/db/index.ts';
import { createAuthenticator } from '../../src/edge/authenticate.ts';
import { createKeys } from '../../src/keys/index.ts';
import { formatSecret } from '../../src/keys/secret.ts';
import { createTokens } from '../../src/tokens/index.ts';

const log = pino({ level: 'silent' });
const warmRounds = 5;
const warmCalls = 200_000;
const callsPerTurn = 5_000;
const floodPerSecond = 5_000;
const phaseMs = 4_000;

const folder = mkdtempSync(join(tmpdir(), 'bench-auth-'));
const server = await startPrivateServer({ folder, log, restart: false });
await migrate({ url: server.url, log });
const db = connectDatabase({ url: server.url, log });
const changes = createCredentialChanges({ db, clock: systemClock, onError: () => {} });
await changes.start();
const ring = { current: 1, byVersion: new Map([[1, randomBytes(32)]]) };
const keys = createKeys({ db, clock: systemClock, log, changes, peppers: ring });
const issuer = 'https://api.example';
const tokens = createTokens({
  db,
  clock: systemClock,
  log,
  changes,
  seal: createSeal(ring),
  issuer: () => issuer,
  parentOf: keys.find,
});
const authenticate = createAuthenticator({ keys, tokens, operators: [{ name: 'o', token: 'x'.repeat(40) }] });

try {
  const { key, secret } = await makeKey();
  const { accessToken } = unwrap(await tokens.issue({ keyId: key.id, subject: 'user', ttlSeconds: 3_600 }));
  const warm = new Map([
    ['API key', `Bearer ${secret}`],
    ['access token', `Bearer ${accessToken}`],
  ]);
  console.log(
    `warm verification, from the Authorization header to the caller; CPU time (user + system) of ${warmCalls}`,
  );
  console.log(`calls, median of ${warmRounds} rounds, measured ${callsPerTurn} at a time`);
  for (const [name, header] of warm) {
    unwrap(await authenticate(header));
    console.log(`  ${name.padEnd(14)} ${(await cpuMicrosecondsPerCall(header)).toFixed(2)} us`);
  }

  console.log(
    `\na good ${[...warm.keys()].join(' or ')} each 2 ms, ${phaseMs / 1000} s a phase, then the same under ${floodPerSecond}`,
  );
  console.log(
    'wrong credentials a second: a third mistyped, a third with unknown ids, a third with wrong secrets for a good id',
  );
  const headers = [...warm.values()];
  await phase(headers, undefined);
  const alone = await phase(headers, undefined);
  const wrong = await wrongCredentials(key.id, accessToken);
  const flooded = await phase(headers, wrong.keys);
  print('alone', alone);
  print('under wrong keys', flooded);
  console.log(
    `  slower: ${(flooded.mean / alone.mean).toFixed(2)}x at the mean, ${(flooded.p50 / alone.p50).toFixed(2)}x at the median`,
  );
  const forged = await phase(headers, wrong.tokens, 500);
  print('under 500 forged tokens/s', forged);

  console.log('\na good key that was never seen before, each 2 ms: it needs the database');
  const coldAlone = await phase(await unseen(phaseMs / 2), undefined);
  const coldFlooded = await phase(await unseen(phaseMs / 2), wrong.keys);
  print('alone', coldAlone);
  print('under wrong keys', coldFlooded);
  console.log(
    `  slower: ${(coldFlooded.mean / coldAlone.mean).toFixed(2)}x at the mean, ${(coldFlooded.p50 / coldAlone.p50).toFixed(2)}x at the median`,
  );
} finally {
  await tokens.close();
  await keys.close();
  await changes.close();
  await db.close();
  await server.close();
  rmSync(folder, { recursive: true, force: true });
}

async function makeKey() {
  return unwrap(await keys.create({ accountId: newId('acc'), kind: 'live', displayName: 'k', purpose: 'bench' }));
}

async function cpuMicrosecondsPerCall(header: string): Promise<number> {
  const rounds: number[] = [];
  for (let round = 0; round < warmRounds; round += 1) {
    let spent = 0;
    for (let call = 0; call < warmCalls; call += callsPerTurn) {
      // A node whose event loop stalls for a second stops trusting its cache: let the poll run.
      await new Promise((resolve) => setTimeout(resolve, 1));
      const before = process.cpuUsage();
      for (let turn = 0; turn < callsPerTurn; turn += 1)
        if (authenticate(header) instanceof Promise) throw new Error('the credential is not warm');
      const { user, system } = process.cpuUsage(before);
      spent += user + system;
    }
    rounds.push(spent / warmCalls);
  }
  return rounds.sort((a, b) => a - b)[Math.floor(warmRounds / 2)] ?? Number.NaN;
}

/** Times good credentials, one every 2 ms, in microseconds, with or without a concurrent flood. */
async function phase(good: readonly string[], flood: readonly string[] | undefined, perSecond = floodPerSecond) {
  const times: number[] = [];
  // Creating the credentials blocked the event loop: let the node catch up with the feed of changes first.
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const startedAt = performance.now();
  let sent = 0;
  let next = 0;
  while (performance.now() - startedAt < phaseMs) {
    const due = flood ? ((performance.now() - startedAt) * perSecond) / 1000 : 0;
    for (; flood && sent < due; sent += 1) void authenticate(`Bearer ${flood[sent % flood.length]}`);
    const header = good[next % good.length] ?? '';
    next += 1;
    const before = performance.now();
    unwrap(await authenticate(header));
    times.push((performance.now() - before) * 1000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return { mean: times.reduce((sum, time) => sum + time, 0) / times.length, p50: at(0.5), p99: at(0.99) };
}

function print(name: string, { mean, p50, p99 }: Awaited<ReturnType<typeof phase>>): void {
  console.log(`  ${name.padEnd(26)} mean ${mean.toFixed(1)} us, p50 ${p50.toFixed(1)} us, p99 ${p99.toFixed(1)} us`);
}

async function wrongCredentials(keyId: string, accessToken: string) {
  const count = 21_000;
  const wrong = Array.from({ length: count }, (_, index) => {
    if (index % 3 === 0) return `${formatSecret('live', newId('key'), randomBytes(32)).slice(0, -1)}!`;
    return formatSecret('live', index % 3 === 1 ? newId('key') : keyId, randomBytes(32));
  });
  const { privateKey } = await generateKeyPair('ES256');
  const header = { ...decodeProtectedHeader(accessToken), alg: 'ES256' };
  const forged = await Promise.all(
    Array.from({ length: 1_000 }, (_, index) =>
      new SignJWT({ sub: String(index) }).setProtectedHeader(header).setExpirationTime('1h').sign(privateKey),
    ),
  );
  return { keys: wrong, tokens: forged };
}

async function unseen(count: number): Promise<string[]> {
  const made: string[] = [];
  for (let index = 0; index < count; index += 50)
    made.push(...(await Promise.all(Array.from({ length: 50 }, makeKey))).map(({ secret }) => `Bearer ${secret}`));
  return made;
}
