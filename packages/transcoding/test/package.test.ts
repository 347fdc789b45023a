import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';

const home = fileURLToPath(new URL('..', import.meta.url));
const root = join(home, '..', '..');
const installed = join(root, 'node_modules');

/**
 * README.md marks what is run: `<!-- file: name -->` before the content of a file, `<!-- output: name -->` before what it prints,
 * `<!-- run -->` before commands.
 */
const marked = [
  ...readFileSync(join(home, 'README.md'), 'utf8').matchAll(
    /<!-- (file|output|run)(?:: (\S+))? -->\n```\w+\n(.*?)```/gs,
  ),
].map(([, mark = '', name = '', text = '']) => ({ mark, name, text }));
const commands = marked.filter(({ mark }) => mark === 'run').flatMap(({ text }) => text.trimEnd().split('\n'));

let scratch: string;
/** What the package has, by path. */
let packed: string[];

const run = (program: string, args: string[], cwd = scratch) =>
  execFileSync(program, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, PATH: `${join(installed, '.bin')}:${process.env.PATH}` },
  });

// A reader's project: the package from its tarball, beside it what the reader has installed already.
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'transcoding-'));
  const dist = join(scratch, 'dist');
  run(process.execPath, [join(home, 'build.mjs'), dist]);
  const [tarball] = JSON.parse(run('npm', ['pack', '--json', '--pack-destination', scratch, dist]));
  packed = tarball.files.map(({ path }: { path: string }) => path).sort();
  for (const { mark, name, text } of marked) if (mark === 'file') writeFileSync(join(scratch, name), text);
  for (const command of commands) {
    const wanted = /^npm install (?:--save-dev )?(.*)$/.exec(command)?.[1]?.split(' ');
    if (wanted) install(wanted, join(scratch, tarball.filename));
    else run('sh', ['-c', command.replace(/^npx /, '')]);
  }
}, 300_000);
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** What the registry would give: this package from its tarball, others as this repository has them. */
function install(names: readonly string[], tarball: string): void {
  if (names.includes('@intelligence-api/transcoding'))
    run('npm', ['install', '--offline', '--legacy-peer-deps', '--no-audit', '--no-fund', tarball]);
  for (const name of names) if (name !== '@intelligence-api/transcoding') link(name);
}

function link(name: string): void {
  const path = join(scratch, 'node_modules', name);
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(join(installed, name), path);
}

test('it has compiled files, their declarations, the manifest and the README, and nothing else', () => {
  const manifest = JSON.parse(readFileSync(join(scratch, 'dist', 'package.json'), 'utf8'));
  const doors = Object.values<{ types: string; default: string }>(manifest.exports).flatMap((door) =>
    Object.values(door),
  );
  expect(doors.length).toBe(6);
  for (const door of doors) expect(packed).toContain(door.replace('./', ''));
  expect(packed.filter((path) => !/^[\w/-]+(\.d\.ts|\.js)$/.test(path))).toEqual(['README.md', 'package.json']);
  expect(manifest).not.toHaveProperty('private');
  expect(manifest.peerDependenciesMeta).toEqual({ fastify: { optional: true } });
});

test.each(marked.filter(({ mark, name }) => mark === 'output' && name !== 'serve.mjs'))(
  '$name of the README prints what the README says, where there is no Fastify',
  ({ name, text }) => {
    if (name === 'service.mjs') link('yaml');
    expect(run(process.execPath, [name])).toBe(text);
  },
);

test('the adapter of the README runs beside Fastify, and TypeScript knows what is exported', () => {
  link('fastify');
  const { text } = marked.find(({ mark, name }) => mark === 'output' && name === 'serve.mjs') ?? {};
  expect(run(process.execPath, ['serve.mjs'])).toBe(text);

  link('@types/node');
  writeFileSync(
    join(scratch, 'use.ts'),
    [
      "import type { DescMethod } from '@bufbuild/protobuf';",
      "import { createTranscoding, type Transcoding, type WebContext } from '@intelligence-api/transcoding';",
      "import { fastifyTranscoding } from '@intelligence-api/transcoding/fastify';",
      'declare const methods: DescMethod[];',
      'export const made: Transcoding = createTranscoding<string>({',
      '  methods,',
      '  admit: (method: DescMethod, context: WebContext) => method.name + context.request.url,',
      '  unary: async (_method, request, _context, admitted) => (admitted.length > 0 ? request : request),',
      '});',
      '// @ts-expect-error: there is no such option.',
      'createTranscoding({ methods, unarry: 1 });',
      'export const plugin = fastifyTranscoding<string>;',
    ].join('\n'),
  );
  run('tsc', [
    '--noEmit',
    '--strict',
    '--module',
    'nodenext',
    '--target',
    'es2024',
    '--lib',
    'es2024',
    '--types',
    'node',
    '--exactOptionalPropertyTypes',
    '--skipLibCheck',
    'false',
    'use.ts',
  ]);
});
