import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadOrCreateSecrets, loadSecrets } from '../../src/config/secrets.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'secrets-'));
  path = join(folder, 'deep', 'secrets.json');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('secrets are made once, for the owner alone, and read again as they are', () => {
  const made = loadOrCreateSecrets(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(loadOrCreateSecrets(path)).toEqual(made);
  expect(made.keyPeppers.byVersion.get(made.keyPeppers.current)).toHaveLength(32);
  expect(made.encryptionKeys.byVersion.get(made.encryptionKeys.current)).toHaveLength(32);
  expect(made.fingerprintKey).toHaveLength(32);
  expect(readdirSync(join(folder, 'deep'))).toEqual(['secrets.json']);
});

test('two installations have nothing in common', () => {
  const first = loadOrCreateSecrets(path);
  const second = loadOrCreateSecrets(join(folder, 'other.json'));
  expect([...second.operatorTokens.values()]).not.toEqual([...first.operatorTokens.values()]);
  expect(second.fingerprintKey).not.toEqual(first.fingerprintKey);
});

test('a file that others may read is refused, and the message says what to do', () => {
  loadOrCreateSecrets(path);
  chmodSync(path, 0o640);
  expect(() => loadOrCreateSecrets(path)).toThrow(/has mode 640.*chmod 600/);
});

test('a broken file is refused, never replaced, and never quoted', () => {
  loadOrCreateSecrets(path);
  const broken = readFileSync(path, 'utf8').slice(0, -30);
  writeFileSync(path, broken);
  expect(() => loadOrCreateSecrets(path)).toThrow(/^The secrets file .* is not JSON\. Restore it from a backup/);
  expect(readFileSync(path, 'utf8')).toBe(broken);
});

test('a file that the system does not let us use is refused in words, never replaced', () => {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const words = /^The secrets file .* can not be used \(E[A-Z]+\)\. It must be a file/;
  expect(() => loadOrCreateSecrets(path)).toThrow(words);
  writeFileSync(join(folder, 'no-folder'), '');
  expect(() => loadOrCreateSecrets(join(folder, 'no-folder', 'secrets.json'))).toThrow(words);
});

test('a current version without a key, and a short key, are refused', () => {
  loadOrCreateSecrets(path);
  const content = JSON.parse(readFileSync(path, 'utf8'));
  content.keyPeppers.current = 2;
  content.fingerprintKey = 'c2hvcnQ=';
  writeFileSync(path, JSON.stringify(content));
  expect(() => loadSecrets(path)).toThrow(/keyPeppers: has no key[\s\S]*fingerprintKey: must be 32 bytes/);
});
