import { randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

/** Keys by version. New data uses `current`; data from older versions can still be read. */
export interface KeyRing {
  current: number;
  byVersion: ReadonlyMap<number, Buffer>;
}

/** The service's secrets, stored outside the database. */
export interface Secrets {
  /** Operator tokens by name; several, so that one can be replaced without downtime. */
  operatorTokens: ReadonlyMap<string, string>;
  /** For hashes of API keys and refresh credentials. 32 bytes each. */
  keyPeppers: KeyRing;
  /** AES-256 keys for stored replies, signing keys and webhook secrets. 32 bytes each. */
  encryptionKeys: KeyRing;
  /** For request fingerprints (idempotency). 32 bytes. It never changes: an old request must keep its old fingerprint. */
  fingerprintKey: Buffer;
}

/** The file cannot be used. The message says why and what to do, and quotes none of its content. */
export class SecretsError extends Error {
  override readonly name = 'SecretsError';
}

/** Reads the file, creating it first if it does not exist. Processes that do so at the same time all end up with the same one. */
export function loadOrCreateSecrets(path: string): Secrets {
  if (!existsSync(path)) withFile(path, () => createSecrets(path));
  return loadSecrets(path);
}

/** Reads the file. Refuses one that other users can read. */
export function loadSecrets(path: string): Secrets {
  const file = withFile(path, () => statSync(path, { throwIfNoEntry: false }));
  if (!file)
    throw new SecretsError(
      `There is no secrets file ${path}. The service makes it at its first start; DATA_DIR or secretsFile say where it is.`,
    );
  const mode = file.mode & 0o777;
  if ((mode & 0o077) !== 0)
    throw new SecretsError(
      `The secrets file ${path} has mode ${mode.toString(8)}, so other users may use it. Run: chmod 600 ${path}`,
    );
  return parseSecrets(
    withFile(path, () => readFileSync(path, 'utf8')),
    path,
  );
}

/** Turns what the system says of the file or its folder into words. */
function withFile<T>(path: string, use: () => T): T {
  try {
    return use();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    throw new SecretsError(
      `The secrets file ${path} can not be used (${code}). It must be a file, in a folder, that belong to the user who runs the service; DATA_DIR or secretsFile say where it is.`,
    );
  }
}

/** How many characters an operator token has at least. */
export const operatorTokenMin = 32;

const key32 = z
  .base64()
  .transform((text) => Buffer.from(text, 'base64'))
  .refine((bytes) => bytes.length === 32, 'must be 32 bytes in base64');

const keyRing = z
  .strictObject({
    current: z.int().min(1),
    versions: z.record(z.string().regex(/^[1-9]\d{0,8}$/, 'must be a version number'), key32),
  })
  .transform(({ current, versions }) => ({
    current,
    byVersion: new Map(Object.entries(versions).map(([version, bytes]) => [Number(version), bytes])),
  }))
  .refine(({ current, byVersion }) => byVersion.has(current), 'has no key of its current version');

const secretsFile = z.strictObject({
  operatorTokens: z
    .record(
      z.string().regex(/^[\w.-]{1,64}$/),
      z.string().min(operatorTokenMin, `must have at least ${operatorTokenMin} characters`).max(256),
    )
    .refine((tokens) => Object.keys(tokens).length > 0, 'must have one token at least'),
  keyPeppers: keyRing,
  encryptionKeys: keyRing,
  fingerprintKey: key32,
});

function parseSecrets(text: string, path: string): Secrets {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    // The parser's own message would quote the content.
    throw new SecretsError(
      `The secrets file ${path} is not JSON. Restore it from a backup; data cannot be read without it.`,
    );
  }
  const parsed = secretsFile.safeParse(content);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path: at, message }) => `  - ${at.join('.') || 'the file'}: ${message}`,
    );
    throw new SecretsError([`The secrets file ${path} is not valid:`, ...problems].join('\n'));
  }
  return { ...parsed.data, operatorTokens: new Map(Object.entries(parsed.data.operatorTokens)) };
}

// Written in full to a temporary file and then linked into place: a crash leaves all of it or nothing, and an existing file is
// never replaced, because losing an encryption key loses what it encrypted.
function createSecrets(path: string): void {
  const key = () => randomBytes(32).toString('base64');
  const content = {
    operatorTokens: { operator: `ik_oper_${randomBytes(32).toString('base64url')}` },
    keyPeppers: { current: 1, versions: { 1: key() } },
    encryptionKeys: { current: 1, versions: { 1: key() } },
    fingerprintKey: key(),
  };
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(unfinished, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(file);
    linkSync(unfinished, path);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  } finally {
    closeSync(file);
    rmSync(unfinished, { force: true });
  }
}
