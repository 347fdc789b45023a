import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

interface Report {
  modules: { source: string }[];
  summary: { violations: { rule: { name: string }; from: string; to: string }[] };
}

function cruise(folder: string): Report {
  const done = spawnSync(
    join(root, 'node_modules', '.bin', 'depcruise'),
    ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', 'src', 'packages', 'console/src'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  return JSON.parse(done.stdout);
}

test('imports go downward, and the check sees the modules and what they import', () => {
  const report = cruise(root);
  expect(report.summary.violations).toEqual([]);
  const sources = report.modules.map(({ source }) => source);
  expect(sources).toContain('src/base/money.ts');
  expect(sources).toContain('src/db/database.ts');
  expect(sources).toContain('console/src/pages/overview/index.tsx');
  expect(sources.some((source) => source.startsWith('node_modules/kysely/'))).toBe(true);
});

// Each file is planted with the import that it must not have.
const planted: [rule: string, from: string, imports: string][] = [
  ['floor-0-imports-downward-only', 'src/base/a.ts', '../db/target.ts'],
  ['floor-1-imports-downward-only', 'src/db/a.ts', '../wallet/target.ts'],
  ['floor-2-imports-downward-only', 'src/wallet/a.ts', '../chat/target.ts'],
  ['floor-3-imports-downward-only', 'src/chat/a.ts', '../api/target.ts'],
  ['floor-4-imports-downward-only', 'src/api/a.ts', '../edge/target.ts'],
  ['floor-5-imports-downward-only', 'src/edge/a.ts', '../app.ts'],
  ['floor-5-imports-downward-only', 'src/edge/b.ts', '../open-database.ts'],
  ['floor-4-imports-downward-only', 'src/api/b.ts', '../rooms/target.ts'],
  ['floor-2-imports-downward-only', 'src/keys/a.ts', '../cli/target.ts'],
  ['room-wallet-keeps-to-itself', 'src/wallet/b.ts', '../keys/target.ts'],
  ['room-chat-keeps-to-itself', 'src/chat/b.ts', '../workflows/target.ts'],
  ['sql-stays-in-stores', 'src/wallet/c.ts', 'kysely'],
  ['sql-stays-in-stores', 'src/keys/c.ts', 'mysql2'],
  ['transports-stay-at-the-edge', 'src/chat/c.ts', '@connectrpc/connect'],
  ['transports-stay-at-the-edge', 'src/chat/d.ts', 'fastify'],
  ['transports-stay-at-the-edge', 'src/wallet/f.ts', '@intelligence-api/transcoding'],
  ['generated-messages-stop-at-the-flows', 'src/wallet/d.ts', '../gen/target.ts'],
  ['callers-code-stays-in-the-sandbox', 'src/base/e.ts', 'ajv'],
  ['callers-code-stays-in-the-sandbox', 'src/workflows/e.ts', 're2js'],
  ['callers-code-stays-in-the-sandbox', 'src/chat/e.ts', '@bufbuild/cel'],
  ['callers-code-stays-in-the-sandbox', 'src/sandbox/e.ts', '@bufbuild/cel'],
  ['only-children-load-what-runs-in-them', 'src/sandbox/f.ts', './child/target.ts'],
  ['only-packs-run-expressions-outside', 'src/workflows/packs/f.ts', '../../sandbox/cel/target.ts'],
  ['console-shares-money-only', 'console/src/a.ts', '../../src/wallet/target.ts'],
  ['console-shares-money-only', 'console/src/b.ts', '@intelligence-api/transcoding'],
  ['service-does-without-the-console', 'src/edge/g.ts', '../../console/src/target.ts'],
  ['pages-keep-to-themselves', 'console/src/pages/keys/a.ts', '../usage/target.ts'],
  ['transcoding-knows-no-product', 'packages/transcoding/src/a.ts', '../../../src/base/target.ts'],
];

let folder: string;
let report: Report;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'imports-'));
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  symlinkSync(join(root, 'tsconfig.json'), join(folder, 'tsconfig.json'));
  symlinkSync(join(root, 'package.json'), join(folder, 'package.json'));
  const targets = planted
    .map(([, from, imports]) => join(dirname(from), imports))
    .filter((path) => path.endsWith('.ts'));
  for (const path of targets) write(path, 'export const target = 1;\n');
  for (const [, from, imports] of planted) write(from, `import * as planted from '${imports}';\nexport { planted };\n`);
  report = cruise(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function write(path: string, text: string): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true });
  writeFileSync(join(folder, path), text);
}

test.each(planted)('%s: %s must not import %s', (rule, from) => {
  expect(
    report.summary.violations.filter((violation) => violation.from === from).map(({ rule: { name } }) => name),
  ).toContain(rule);
});
