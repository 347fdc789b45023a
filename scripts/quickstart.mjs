// From a fresh clone to a running service: installs, generates, finds a database server, starts. Runs before the
// install and on the machine's own Node, so it is plain JavaScript of Node 18 and imports nothing that is installed.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNode, findSystemNode, nodeMajor } from './find-node.mjs';
import { contractDigest, isGenerated, isInstalled, recordGenerated } from './fresh.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');

function say(line) {
  process.stdout.write(`quickstart: ${line}\n`);
}

function stop(line) {
  process.stderr.write(`quickstart: ${line}\n`);
  process.exit(1);
}

/** Runs a step to its end; its output is the progress. */
function run(program, args, purpose) {
  const done = spawnSync(program, args, { cwd: root, stdio: 'inherit' });
  if (done.signal || done.status === 130) process.exit(130);
  if (done.status !== 0) stop(`${purpose} failed (exit code ${done.status}). The reason is above.`);
}

if (Number(process.versions.node.split('.')[0]) < 18)
  stop(
    `Node ${process.versions.node} is too old even to start. Install Node 20 or later; Node 24 comes with the install.`,
  );
if (process.platform !== 'linux' && process.platform !== 'darwin')
  stop(`${process.platform} is not supported. Use Linux or macOS (Windows: inside WSL).`);

if (!isInstalled(root)) {
  say('installing packages with npm ci; about half a minute ...');
  // npm replaces node_modules, including the Node that this may be running on: npm runs on the machine's own.
  const npm = process.env.npm_execpath;
  const args = ['ci', '--no-audit', '--no-fund', '--loglevel=error'];
  if (npm && /\.c?js$/.test(npm) && existsSync(npm)) run(findSystemNode(root), [npm, ...args], 'npm ci');
  else run('npm', args, 'npm ci');
}

const node = findNode(root);
if (!node)
  stop(
    `Node 24 or later is needed and this is Node ${process.versions.node}. On Linux (x64, arm64) it comes with the install; ` +
      'elsewhere install it from https://nodejs.org and run this again.',
  );

const digest = contractDigest(root);
if (!isGenerated(root, digest)) {
  say('generating code from the proto files ...');
  run(node, ['scripts/generate.mjs'], 'Generating code');
  recordGenerated(root, digest);
}

// The service works without it, and says so at /console.
if (spawnSync(node, ['scripts/build-console.mjs'], { cwd: root, stdio: 'inherit' }).status !== 0)
  say('the console could not be built; the reason is above. The API works without it.');

run(node, ['scripts/ensure-database-server.ts'], 'Finding a database server');

// In its own session, so that Ctrl-C reaches only this process and is passed on once. The channel between the two closes however this process
// ends, and the service then stops.
say(`starting the service (Node ${nodeMajor(node)}) ...`);
const service = spawn(node, ['src/main.ts', '--quickstart', ...process.argv.slice(2)], {
  cwd: root,
  stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  detached: true,
});
// Ctrl-C arrives twice, from the terminal and from npm, and a second signal would stop the service at once.
const onceWithinMs = 500;
let passedOnAt = Number.NEGATIVE_INFINITY;
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
  process.on(signal, () => {
    if (performance.now() - passedOnAt < onceWithinMs) return;
    passedOnAt = performance.now();
    service.kill(signal === 'SIGHUP' ? 'SIGTERM' : signal);
  });
service.on('error', (error) => stop(`the service could not be started: ${error.message}`));
service.on('exit', (code, signal) => {
  if (signal) say(`the service was ended by ${signal}. The next start recovers.`);
  process.exit(code === null ? 1 : code);
});
