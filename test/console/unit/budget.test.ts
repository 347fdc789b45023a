import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { type Language, languages } from '../../../console/src/i18n/language.ts';

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

/** What is there before the first page is: the entry, the overview and its texts, and what is on every page in another language. */
function firstRoute(language: Language): Set<string> {
  const texts = language === 'en' ? ['overview'] : ['overview', 'common'];
  const wanted = ['page-overview', ...texts.map((name) => `texts-${language}-${name}`)];
  const found = wanted.map((name) => files('.js').filter((file) => file.startsWith(`${name}-`)));
  expect(found.map(({ length }) => length)).toEqual(wanted.map(() => 1));
  return withImports([...entries(), ...found.flat()]);
}

/** English texts of every page are in the entry; another language brings its own beside them. */
const firstPageMost = { en: 45, de: 48 } as const satisfies Record<Language, number>;

test.each(languages)('the first page in %s has its bound of script, and 8 KB of style', (language) => {
  const styles = [...page().matchAll(/assets\/([^"]+\.css)"/g)].map(([, name = '']) => name);
  expect(entries()).not.toEqual([]);
  expect(styles).not.toEqual([]);
  const first = firstRoute(language);
  // One pays for the language that one reads, and for English, which stands in where a text is missing.
  expect([...first].filter((file) => file.startsWith('texts-') && !file.startsWith(`texts-${language}-`))).toEqual([]);
  expect(sum(first)).toBeLessThanOrEqual(firstPageMost[language] * kilobyte);
  expect(sum(styles)).toBeLessThanOrEqual(8 * kilobyte);
});

test.each(languages)('no other file is above 15 KB, and all that is read in %s not above 190 KB', (language) => {
  const first = firstRoute(language);
  const read = files('.js').filter((file) => !file.startsWith('texts-') || file.startsWith(`texts-${language}-`));
  expect(read.filter((file) => !first.has(file) && sizeOf(file) > 15 * kilobyte)).toEqual([]);
  expect(sum(read)).toBeLessThanOrEqual(190 * kilobyte);
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
