import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const dependencies = Object.keys(packageJson.dependencies).sort();

/** `@scope/name` of `@scope/name/file.js`; undefined of what is the project's own or Node's. */
function packageOf(imported: string): string | undefined {
  if (/^[./]/.test(imported) || isBuiltin(imported)) return undefined;
  return imported
    .split('/')
    .slice(0, imported.startsWith('@') ? 2 : 1)
    .join('/');
}

/** The packages that a package needs beside it. */
function peersOf(name: string): string[] {
  const { peerDependencies = {}, peerDependenciesMeta = {} } = JSON.parse(
    readFileSync(join(root, 'node_modules', name, 'package.json'), 'utf8'),
  );
  return Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional);
}

test('src imports each dependency, and no package that is not one', () => {
  const { stdout } = spawnSync(
    join(root, 'node_modules', '.bin', 'depcruise'),
    ['--config', join(root, '.dependency-cruiser.mjs'), '--output-type', 'json', 'src'],
    { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  );
  const { modules } = JSON.parse(stdout) as { modules: { source: string; dependencies: { module: string }[] }[] };
  const imported = modules
    .filter(({ source }) => source.startsWith('src/'))
    .flatMap((module) => module.dependencies.map((dependency) => packageOf(dependency.module)));
  const packages = [...new Set(imported.filter((name) => name !== undefined))];
  expect(packages.length).toBeGreaterThan(10);
  // What a package asks its user to install beside it is needed as well.
  const needed = new Set([...packages, ...packages.flatMap(peersOf)]);
  expect([...needed].filter((name) => packages.includes(name) || dependencies.includes(name)).sort()).toEqual(
    dependencies,
  );
});

test('every version is exact, so that the lock file and package.json say the same', () => {
  const { devDependencies, optionalDependencies } = packageJson;
  for (const [name, version] of Object.entries({
    ...packageJson.dependencies,
    ...devDependencies,
    ...optionalDependencies,
  }))
    expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
});
