// Whether what is installed and generated matches the sources. Plain JavaScript of Node 18: it runs before the install.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Whether node_modules holds every package of the lock file in its version. npm keeps a lock file of what it installed. */
export function isInstalled(root) {
  try {
    const wanted = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages;
    const there = JSON.parse(readFileSync(join(root, 'node_modules', '.package-lock.json'), 'utf8')).packages;
    return Object.entries(wanted).every(([path, { version, optional, peer }]) => {
      // Packages for other machines are optional, and absent here.
      if (path === '' || ((optional || peer) && !there[path])) return true;
      return there[path]?.version === version;
    });
  } catch {
    return false;
  }
}

const inputs = [
  'proto',
  'test/proto',
  'buf.yaml',
  'buf.gen.yaml',
  'packages/transcoding/buf.gen.yaml',
  'console/buf.gen.yaml',
  'scripts/generate.mjs',
  'scripts/generate-console.mjs',
  'scripts/generate-languages.mjs',
  'scripts/flat-file.mjs',
  'scripts/print-proto.mjs',
  'package-lock.json',
];

/** A digest of everything that generated code depends on. */
export function contractDigest(root) {
  return digestOf(root, inputs);
}

/** A digest of the contents of files and folders: their paths and bytes. */
export function digestOf(root, paths) {
  const hash = createHash('sha256');
  for (const file of paths.flatMap((path) => filesIn(root, path)).sort())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

const generated = ['src/gen', 'test/gen', 'packages/transcoding/src/gen', 'console/gen'];

export function isGenerated(root, digest) {
  return generated.every((folder) => existsSync(join(root, folder))) && readIfThere(stampPath(root)) === digest;
}

export function recordGenerated(root, digest) {
  mkdirSync(join(root, '.cache'), { recursive: true });
  writeFileSync(stampPath(root), digest);
}

function stampPath(root) {
  return join(root, '.cache', 'generated');
}

function readIfThere(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
}

function filesIn(root, path) {
  if (path.includes('.')) return existsSync(join(root, path)) ? [path] : [];
  return readdirSync(join(root, path), { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? filesIn(root, `${path}/${entry.name}`) : [`${path}/${entry.name}`],
  );
}
