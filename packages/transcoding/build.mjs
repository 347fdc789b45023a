// Makes what is published: JavaScript and declarations, and a package.json that names them. In this repository the
// package runs from its TypeScript, so that nothing is built before a start. Usage: node build.mjs [folder]
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const home = dirname(fileURLToPath(import.meta.url));
const target = resolve(process.argv[2] ?? join(home, 'dist'));

if (!existsSync(join(home, 'src', 'gen'))) {
  process.stderr.write('There is no src/gen. Run "npm run generate" in the root of the repository first.\n');
  process.exit(1);
}
rmSync(target, { recursive: true, force: true });
const compiler = join(home, '..', '..', 'node_modules', '.bin', 'tsc');
const built = spawnSync(compiler, ['--project', join(home, 'tsconfig.build.json'), '--outDir', target], {
  stdio: 'inherit',
});
if (built.status !== 0) process.exit(built.status ?? 1);

const {
  private: _private,
  scripts: _scripts,
  exports,
  ...manifest
} = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
const compiled = (source, ending) => source.replace(/^\.\/src\/(.*)\.ts$/, `./$1${ending}`);
manifest.exports = Object.fromEntries(
  Object.entries(exports).map(([door, source]) => [
    door,
    { types: compiled(source, '.d.ts'), default: compiled(source, '.js') },
  ]),
);
writeFileSync(join(target, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
cpSync(join(home, 'README.md'), join(target, 'README.md'));
if (existsSync(join(home, 'LICENSE'))) cpSync(join(home, 'LICENSE'), join(target, 'LICENSE'));
