// Builds console/dist, unless it was built from the same sources: one Vite build, with a compressed copy next to each file.
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { filesAhead } from './console-ahead.mjs';
import { contractDigest, digestOf } from './fresh.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'console', 'dist');
const stamp = join(root, '.cache', 'console-built');

const inputs = [
  ...['index.html', 'vite.config.mjs', 'tsconfig.json'].map((file) => `console/${file}`),
  ...['console/src', 'console/public', 'src/base/money.ts', 'scripts/build-console.mjs', 'scripts/console-ahead.mjs'],
];
const digest = `${contractDigest(root)} ${digestOf(root, inputs)}`;

if (!isBuilt()) {
  // Tests build it, too, with `test` as their environment: Vite would make a development build, which is larger.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  // Built elsewhere and then moved into place: concurrent readers find the old build or the new one.
  const beside = join(root, '.cache', `console-${process.pid}`);
  try {
    const config = { configFile: join(root, 'console', 'vite.config.mjs'), logLevel: 'warn' };
    const { output } = await build({ ...config, build: { outDir: beside, emptyOutDir: true } });
    for (const file of readdirSync(beside, { recursive: true, encoding: 'utf8' }).filter(isText))
      compress(beside, file);
    writeFileSync(join(beside, 'ahead.json'), JSON.stringify(filesAhead(output)));
    putInPlace(beside);
    writeFileSync(stamp, digest);
  } finally {
    rmSync(beside, { recursive: true, force: true });
  }
}

/** Moves a build to where it is served, and the previous one out of the way. Concurrent builds may have put theirs there meanwhile. */
function putInPlace(folder) {
  for (let attempt = 1; ; attempt++) {
    const before = `${folder}-before-${attempt}`;
    try {
      if (existsSync(output)) renameSync(output, before);
      renameSync(folder, output);
      return;
    } catch (error) {
      if (attempt === 10 || !['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(error.code)) throw error;
    } finally {
      rmSync(before, { recursive: true, force: true });
    }
  }
}

function isBuilt() {
  return existsSync(join(output, 'index.html')) && existsSync(stamp) && readFileSync(stamp, 'utf8') === digest;
}

function isText(file) {
  return /\.(html|js|css|svg|json)$/.test(file);
}

/** Files that compression does not shrink have no compressed copy. */
function compress(folder, file) {
  const path = join(folder, file);
  const bytes = readFileSync(path);
  const forms = {
    br: brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
    gz: gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }),
  };
  for (const [extension, compressed] of Object.entries(forms))
    if (compressed.length < bytes.length) writeFileSync(`${path}.${extension}`, compressed);
}
