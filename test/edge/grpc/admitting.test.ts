import { create, toBinary } from '@bufbuild/protobuf';
import { afterEach, expect, test } from 'vitest';
import { SayRequestSchema } from '../../gen/intelligence/test/v1/gate_pb.ts';
import { type GateServer, startGateServer } from '../../support/gate-server.ts';
import { answerOf, framed, rawClient } from './raw-call.ts';

/** A server whose look-up of a credential waits until the test says so. */
async function slowly(): Promise<{ server: GateServer; admit(): void; client: ReturnType<typeof rawClient> }> {
  const looking: (() => void)[] = [];
  const server = await startGateServer({
    whileAdmitting: () => new Promise((found) => looking.push(found)),
  });
  const client = rawClient(server.url);
  open.push(async () => {
    client.close();
    await server.close(0);
  });
  const admit = () => {
    expect(looking).toHaveLength(1);
    looking[0]?.();
  };
  await expect.poll(() => server.connections(), { timeout: 60_000 }).toBe(1);
  return { server, admit, client };
}

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of open.splice(0)) await close();
});

const hi = framed(toBinary(SayRequestSchema, create(SayRequestSchema, { text: 'hi' })));
const ended = (server: GateServer) => expect.poll(() => server.logged(), { timeout: 60_000 });

test('a message that is there before it is known who calls is read then', async () => {
  const { admit, client } = await slowly();
  const stream = client.open();
  stream.end(hi);
  const answer = answerOf(stream);
  await client.pinged();
  admit();
  expect(await answer).toMatchObject({ status: '0', messages: [{ flag: 0 }] });
});

test('a deadline holds, and a place that is given later is given back', async () => {
  const { server, admit, client } = await slowly();
  const answer = await client.call([hi], { 'grpc-timeout': '50m' });
  expect([answer.status, answer.reason]).toEqual(['4', 'DEADLINE_EXCEEDED']);
  admit();
  await ended(server).toMatch(/GateService\/Say.*"outcome":"deadline_exceeded"/);
  expect(server.occupied()).toBe(0);
});

test('a caller that leaves meanwhile is a cancelled call', async () => {
  const { server, admit, client } = await slowly();
  const stream = client.open();
  stream.write(hi);
  await client.pinged();
  stream.close(8);
  await client.pinged();
  admit();
  await ended(server).toMatch(/GateService\/Say.*"outcome":"cancelled"/);
  expect(server.occupied()).toBe(0);
});
