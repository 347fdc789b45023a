import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const assets = join(root, 'console', 'dist', 'assets');
/** KiB, as the design's budget has them. */
const kilobyte = 1_024;

beforeAll(() => {
  const built = spawnSync(process.execPath, ['scripts/build-console.mjs'], { cwd: root, encoding: 'utf8' });
  expect(built.status, built.stderr).toBe(0);
});

/** The size that travels, gzipped as hard as it goes. */
function sizeOf(file: string): number {
  return gzipSync(readFileSync(join(assets, file)), { level: 9 }).length;
}

function sum(files: Iterable<string>): number {
  return [...files].reduce((total, file) => total + sizeOf(file), 0);
}

/** A file with everything that it imports without waiting for anybody to open a page. */
function withImports(files: readonly string[], found = new Set<string>()): Set<string> {
  for (const file of files) {
    if (found.has(file)) continue;
    found.add(file);
    const source = readFileSync(join(assets, file), 'utf8');
    const imported = [...source.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)].map(([, name = '']) => name);
    withImports(imported, found);
  }
  return found;
}

const page = () => readFileSync(join(root, 'console', 'dist', 'index.html'), 'utf8');
const files = (extension: string) => readdirSync(assets).filter((file) => file.endsWith(extension));
const entries = () => [...page().matchAll(/assets\/([^"]+\.js)"/g)].map(([, name = '']) => name);

/** What is there before the first page is: the entry, the overview and its texts. */
function firstRoute(): Set<string> {
  const overview = files('.js').filter((file) => /^(page|texts-en)-overview-/.test(file));
  expect(overview).toHaveLength(2);
  return withImports([...entries(), ...overview]);
}

test('the first page is at most 45 KB of script and 8 KB of style', () => {
  const styles = [...page().matchAll(/assets\/([^"]+\.css)"/g)].map(([, name = '']) => name);
  expect(entries()).not.toEqual([]);
  expect(styles).not.toEqual([]);
  expect(sum(firstRoute())).toBeLessThanOrEqual(45 * kilobyte);
  expect(sum(styles)).toBeLessThanOrEqual(8 * kilobyte);
});

test('no other file is above 15 KB, and all of them together not above 190 KB', () => {
  const first = firstRoute();
  const later = files('.js').filter((file) => !first.has(file));
  expect(later.filter((file) => sizeOf(file) > 15 * kilobyte)).toEqual([]);
  expect(sum(files('.js'))).toBeLessThanOrEqual(190 * kilobyte);
});

test('the page has nothing inline and nothing of another host', () => {
  expect(page()).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=/);
  const addresses = [...page().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address);
  expect(addresses.filter((address) => !address.startsWith('/console/'))).toEqual([]);
});

test('every text that travels is there compressed', () => {
  const plain = [...files('.js'), ...files('.css')].filter((file) => readFileSync(join(assets, file)).length > 1_000);
  expect(plain.length).toBeGreaterThan(2);
  for (const file of plain) expect(readdirSync(assets)).toEqual(expect.arrayContaining([`${file}.br`, `${file}.gz`]));
});
