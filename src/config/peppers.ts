import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { loadSecrets, SecretsError } from './secrets.ts';

interface SecretsFile {
  keyPeppers: { current: number; versions: Record<string, string> };
}

/** The pepper versions in the secrets file. */
export function readPeppers(path: string): { current: number; versions: number[] } {
  const { current, byVersion } = loadSecrets(path).keyPeppers;
  return { current, versions: [...byVersion.keys()].sort((a, b) => a - b) };
}

/** Adds a new pepper, which is not used yet. Returns its version. */
export function addPepper(path: string): number {
  const version = Math.max(...readPeppers(path).versions) + 1;
  change(path, ({ keyPeppers }) => {
    keyPeppers.versions[version] = randomBytes(32).toString('base64');
  });
  return version;
}

/** Makes new hashes use this pepper. */
export function usePepper(path: string, version: number): void {
  if (!readPeppers(path).versions.includes(version))
    throw new SecretsError(`There is no pepper ${version} in ${path}.`);
  change(path, ({ keyPeppers }) => {
    keyPeppers.current = version;
  });
}

/** Removes a pepper permanently. The caller must check first whether keys still need it. */
export function removePepper(path: string, version: number): void {
  if (readPeppers(path).current === version)
    throw new SecretsError(`Pepper ${version} is the current one: use another one first.`);
  change(path, ({ keyPeppers }) => {
    delete keyPeppers.versions[version];
  });
}

// Written in full to a temporary file, which is then renamed in one step: a crash leaves either the old file or the new one.
function change(path: string, edit: (file: SecretsFile) => void): void {
  const content = JSON.parse(readFileSync(path, 'utf8')) as SecretsFile;
  edit(content);
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`;
  const file = openSync(unfinished, 'wx', 0o600);
  try {
    writeSync(file, `${JSON.stringify(content, null, 2)}\n`);
    fsyncSync(file);
    renameSync(unfinished, path);
  } finally {
    closeSync(file);
    rmSync(unfinished, { force: true });
  }
  loadSecrets(path);
}
