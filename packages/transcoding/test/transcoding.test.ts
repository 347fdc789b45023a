import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { bodyCases, type Case, pathCases, queryCases, streamCases, timeoutCases } from './cases.ts';
import { adapters } from './server.ts';

const tables = [
  ['path', pathCases],
  ['query', queryCases],
  ['body', bodyCases],
  ['stream', streamCases],
  ['deadline', timeoutCases],
] as const;

describe.each(Object.entries(adapters))('%s', (_, start) => {
  let server: Awaited<ReturnType<typeof start>>;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.close());

  describe.each(tables)('%s', (_, cases) => {
    test.each(cases.map((each) => [`${each.name} -> ${each.status}`.slice(0, 160), each] as const))('%s', (_, each) =>
      check(each, server.port),
    );
  });
});

async function check(each: Case, port: number): Promise<void> {
  const reply = await send(each, port);
  expect(reply.status, reply.text.slice(0, 500)).toBe(each.status);
  for (const [name, value] of Object.entries(each.replyHeaders ?? {})) expect(reply.headers[name]).toBe(value);
  if (typeof each.text === 'string') expect(reply.text).toBe(each.text);
  else if (each.text) expect(reply.text).toMatch(each.text);
  if (each.reply !== undefined) expect(JSON.parse(reply.text)).toMatchObject(each.reply as object);
  const violation = each.field !== undefined || each.says !== undefined ? violationOf(reply.text) : undefined;
  if (each.field !== undefined) expect(violation?.field).toBe(each.field);
  if (each.says !== undefined) expect(violation?.description).toContain(each.says);
  expect(reply.text).not.toContain('secret cause');
}

function violationOf(text: string): { field: string; description: string } | undefined {
  return JSON.parse(text).error.violations?.[0];
}

interface Reply {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

// node:http sends the target as it is; fetch would tidy it up.
function send(each: Case, port: number): Promise<Reply> {
  const [method, path] = each.request.split(' ') as [string, string];
  const headers: Record<string, string> = { ...(each.body === undefined ? {} : json), ...each.headers };
  if (headers['content-type'] === '') delete headers['content-type'];
  return new Promise((resolve, reject) => {
    const request = httpRequest({ port, host: '127.0.0.1', method, path, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text: Buffer.concat(chunks).toString(),
        }),
      );
      response.on('error', reject);
    });
    request.on('error', reject);
    request.end(each.body);
  });
}

const json = { 'content-type': 'application/json' };
