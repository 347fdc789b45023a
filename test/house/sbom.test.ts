import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

interface Component {
  'bom-ref': string;
  group?: string;
  name: string;
  version: string;
  purl: string;
  hashes?: { alg: string; content: string }[];
}

const print = () => execFileSync(process.execPath, ['scripts/sbom.mjs'], { encoding: 'utf8' });
const bill = JSON.parse(print());
const components: Component[] = bill.components;
const names = components.map(({ group, name }) => (group === undefined ? name : `${group}/${name}`));
const packageJson = JSON.parse(readFileSync('package.json', 'utf8'));

test('the bill of materials is CycloneDX, and the same each time', () => {
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
  expect(bill.metadata.component).toMatchObject({ name: packageJson.name, version: packageJson.version });
  expect(print()).toBe(print());
  for (const { purl, hashes, version } of components) {
    expect(purl).toMatch(/^pkg:npm\/(%40[\w.-]+\/)?[\w.-]+@/);
    expect(purl.endsWith(`@${version}`)).toBe(true);
    // What is of this repository comes from no registry that could say its hash.
    if (existsSync(`packages/${purl.split('/').at(-1)?.split('@')[0]}`)) expect(hashes, purl).toBeUndefined();
    else expect(hashes, purl).toEqual([{ alg: 'SHA-512', content: expect.stringMatching(/^[0-9a-f]{128}$/) }]);
  }
});

test('it has each package that the service loads, in the installed version, and none that only development needs', () => {
  for (const name of Object.keys(packageJson.dependencies)) expect(names).toContain(name);
  for (const name of ['vitest', 'typescript', '@biomejs/biome', '@grpc/grpc-js']) expect(names).not.toContain(name);
  const installed = JSON.parse(readFileSync('node_modules/.package-lock.json', 'utf8')).packages;
  for (const [index, { version }] of components.entries()) {
    const name = String(names[index]);
    const versions = Object.entries<{ version: string; resolved: string; link?: boolean }>(installed)
      .filter(([path]) => path === `node_modules/${name}` || path.endsWith(`/node_modules/${name}`))
      .map(([, entry]) => (entry.link ? installed[entry.resolved].version : entry.version));
    expect(versions, name).toContain(version);
    expect(versions.length > 1 || existsSync(`node_modules/${name}/package.json`), name).toBe(true);
  }
});

test('who needs what is closed, and everything is needed by something', () => {
  const needs = new Map<string, string[]>(
    bill.dependencies.map((entry: { 'bom-ref': string; dependsOn: string[] }) => [entry['bom-ref'], entry.dependsOn]),
  );
  const reached = new Set<string>();
  const visit = (ref: string): void => {
    if (reached.has(ref)) return;
    reached.add(ref);
    expect(needs.has(ref), ref).toBe(true);
    for (const next of needs.get(ref) ?? []) visit(next);
  };
  visit(bill.metadata.component['bom-ref']);
  expect([...reached].sort()).toEqual(
    [...components.map((component) => component['bom-ref']), ...[...reached].slice(0, 1)].sort(),
  );
});
