import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { decide } from '../../src/config/config.ts';
import { parseSettings, readEnvironment } from '../../src/config/index.ts';
import { send, startApp, type TestApp } from '../support/app.ts';
import { firstServer, useDatabase } from '../support/database.ts';

/**
 * README.md marks what is run: `<!-- run -->` before commands, which all run in one shell as a reader would paste them,
 * `<!-- file: name -->` before the content of a file that they use, `<!-- config -->` before a configuration.
 */
const readme = readFileSync('README.md', 'utf8');
const marked = [...readme.matchAll(/<!-- (run|config|file: (\S+)) -->\n```\w+\n(.*?)\n```/gs)].map(
  ([, mark = '', file, text = '']) => ({ mark, file, text }),
);

const database = useDatabase(firstServer());
let app: TestApp;
let scratch: string;
let folder: string;
beforeAll(async () => {
  app = await startApp({ databaseUrl: database().url });
  scratch = mkdtempSync(join(tmpdir(), 'readme-'));
  folder = join(scratch, 'clone');
  mkdirSync(folder);
});
afterAll(async () => {
  await app.close();
  rmSync(scratch, { recursive: true, force: true });
});

test('every command of the README works as pasted, one after the other', { timeout: 180_000 }, async () => {
  for (const name of ['node_modules', 'proto', 'buf.yaml', '.cache', 'test'])
    symlinkSync(resolve(name), join(folder, name));
  const opened = await send(app, 'POST', '/v1/accounts', app.operatorToken, { displayName: 'quickstart' });
  mkdirSync(join(folder, '.data'));
  const quickstart = { baseUrl: app.url, operatorToken: app.operatorToken, ...opened.body };
  writeFileSync(join(folder, '.data/quickstart.json'), JSON.stringify(quickstart));
  // Files are of the reader's own project, beside the clone.
  const client = join(scratch, 'client');
  mkdirSync(client);
  for (const { file, text } of marked) if (file) writeFileSync(join(client, file), text);

  const commands = marked.filter(({ mark }) => mark === 'run').map(({ text }) => text);
  expect(commands.length).toBeGreaterThan(10);
  // Beyond what a reader pastes: stop at the first error, and an HTTP status of 400 or more is one.
  const strict =
    'set -euo pipefail\ncurl() { command curl --fail-with-body "$@" || { echo "FAILED: $*" >&2; return 1; }; }';
  const output = await bash([strict, ...commands].join('\n'));
  expect(output).toContain('Paris is the capital of France.');
  expect(output).toContain('"readinessScore"');
  expect(output).toContain('data: {"end":');
  // Keeping a reply goes on after it was sent, so the second may be too early for it.
  expect(output.replace(/\s/g, '')).toContain('"cache":{"hit":');
  expect(existsSync(join(client, 'gen/intelligence/chat/v1/chat_service_pb.ts'))).toBe(true);
  expect(existsSync(join(client, 'contract/buf/validate/validate.proto'))).toBe(true);
});

test('the configuration in the README is a valid one', () => {
  const [config] = marked.filter(({ mark }) => mark === 'config');
  const settings = parseSettings(config?.text ?? '', 'README.md');
  expect(decide(settings, readEnvironment({}), 'README.md').models).toHaveLength(2);
});

test('every file that the README links to is there', () => {
  const links = [...readme.matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map(([, path = '']) => path);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((path) => !existsSync(path))).toEqual([]);
});

test('the table of contents names headings that are there', () => {
  const headings = [...readme.matchAll(/^#+ (.+)$/gm)].map(([, text = '']) =>
    text
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replace(/\s/g, '-'),
  );
  const anchors = [...readme.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor]) => anchor);
  expect(anchors.filter((anchor) => !headings.includes(anchor ?? ''))).toEqual([]);
});

function bash(script: string): Promise<string> {
  return new Promise((done, failed) => {
    const env = { PATH: process.env.PATH, HOME: folder };
    execFile('bash', ['-c', script], { cwd: folder, env, timeout: 180_000 }, (error, stdout, stderr) =>
      error ? failed(new Error(`${error.message.split('\n')[0]}\n${stdout.slice(-1500)}\n${stderr}`)) : done(stdout),
    );
  });
}
