import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Customer, onboard, send, startApp, type TestApp } from '../support/app.ts';
import { chatAnswer, functionCall } from '../support/chat-upstream.ts';
import { firstServer, useDatabase } from '../support/database.ts';
import { startUpstream, type Upstream } from '../support/upstream.ts';

type Json = Record<string, unknown>;

// 360 MB that nothing else needs, so it is not among the dependencies: `.ci/run` installs it here.
const program = fileURLToPath(
  new URL('../../.cache/clients/node_modules/@anthropic-ai/claude-code/bin/claude.exe', import.meta.url),
);
const isInstalled = existsSync(program);
const missing = ' (skipped: npm install --prefix .cache/clients @anthropic-ai/claude-code@2.1.330)';

const database = useDatabase(firstServer());
let app: TestApp;
let upstream: Upstream;
let customer: Customer;
let home: string;
beforeAll(async () => {
  upstream = await startUpstream();
  const price = '{ inputPerMillionUsd: "1", outputPerMillionUsd: "2" }';
  app = await startApp({
    databaseUrl: database().url,
    settings: `
providers: [{ id: up, kind: openai-compatible, baseUrl: "${upstream.url}/v1" }]
models: [{ id: m, provider: up, quality: 50, contextTokens: 200000, maxOutputTokens: 64000, capabilities: [tools, json, images], price: ${price} }]`,
  });
  customer = await onboard(app);
  home = await mkdtemp(join(tmpdir(), 'claude-code-'));
});
afterAll(async () => {
  await app.close();
  await upstream.close();
  await rm(home, { recursive: true, force: true });
});

test.skipIf(!isInstalled)(
  `Claude Code answers a prompt with a tool, and each of its requests is charged${isInstalled ? '' : missing}`,
  { timeout: 180_000 },
  async () => {
    await writeFile(join(home, 'secret.txt'), 'The word is mango.');
    upstream.answer(
      chatAnswer((body) => {
        const said = body.messages as Json[];
        const result = said.findLast(({ role }) => role === 'tool');
        const hasTools = Array.isArray(body.tools) && body.tools.length > 0;
        if (!hasTools) return { content: 'A title' };
        if (result) return { content: JSON.stringify(result.content).includes('mango') ? 'It is mango.' : 'No.' };
        return { content: '', tool_calls: [functionCall('call_1', 'Read', { file_path: join(home, 'secret.txt') })] };
      }),
    );
    const out = await run(['-p', 'Which word is in secret.txt?', '--model', 'm', '--allowedTools', 'Read']);
    expect(out).toContain('It is mango.');
    expect(upstream.seen.length).toBeGreaterThanOrEqual(2);
    const { body } = await send(app, 'GET', '/v1/charges', customer.managementKey);
    expect(body.charges.length).toBe(upstream.seen.length);
    expect(new Set(body.charges.map(({ chargedUsd }: Json) => chargedUsd))).toEqual(new Set(['0.00002']));
  },
);

function run(args: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = {
      ...{ PATH: process.env.PATH, HOME: home, ANTHROPIC_BASE_URL: app.url, ANTHROPIC_API_KEY: customer.apiKey },
      ANTHROPIC_DEFAULT_HAIKU_MODEL: 'm',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
    };
    execFile(program, args, { cwd: home, env, timeout: 150_000 }, (error, stdout, stderr) =>
      error
        ? reject(new Error(`${error.message}\n${stdout}\n${stderr}\n${app.logged().slice(-4000)}`))
        : resolve(stdout),
    ).stdin?.end();
  });
}
