import { afterAll, beforeAll, expect, test } from 'vitest';
import { RestError } from '../src/index.ts';
import { type EchoServer, startEchoServer } from './server.ts';

const shutdown = new AbortController();
const begun: { left: boolean }[] = [];
let server: EchoServer;
beforeAll(async () => {
  server = await startEchoServer({
    shutdownSignal: shutdown.signal,
    unary: (_method, _request, { signal }) => {
      const call = { left: false };
      begun.push(call);
      signal.addEventListener('abort', () => {
        call.left = true;
      });
      return new Promise(() => undefined);
    },
  });
});
afterAll(() => server.app.close());

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 5));
}

test('shutdown answers every running call with its reason, whichever have ended before', async () => {
  const callers = Array.from({ length: 7 }, () => new AbortController());
  const replies: Promise<number | 'left'>[] = [];
  for (const [index, { signal }] of callers.entries()) {
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: `{"note":"${index}"}`,
      signal,
    };
    replies.push(
      fetch(`${server.url}/v1/clients/a`, init).then(
        ({ status }) => status,
        () => 'left' as const,
      ),
    );
    await until(() => begun.length === index + 1);
  }
  // The newest, the oldest, and two neighbours in the middle.
  for (const index of [6, 0, 3, 2]) {
    callers[index]?.abort();
    await until(() => begun[index]?.left === true);
  }
  shutdown.abort(new RestError({ kind: 'deadline_exceeded' }));
  expect(await Promise.all(replies)).toEqual(['left', 504, 'left', 'left', 504, 504, 'left']);
  const late = await fetch(`${server.url}/v1/clients/a`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"note":"late"}',
  });
  expect(late.status).toBe(504);
});
