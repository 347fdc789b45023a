import { EventEmitter } from 'node:events';
import { connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createUnreadReplies } from '../../src/edge/unread-replies.ts';
import { SayRequestSchema } from '../gen/intelligence/test/v1/gate_pb.ts';
import { type GateServer, goodToken, startGateServer } from '../support/gate-server.ts';

const mebibyte = 1_024 * 1_024;

class Carried extends EventEmitter {
  closed = false;
  destroyed = false;
  writableEnded = true;
  writableFinished = false;
  writableLength: number;
  constructor(bytes: number) {
    super();
    this.writableLength = bytes;
  }
  destroy() {
    this.destroyed = true;
    this.emit('close');
  }
}

test('an account that leaves too much unread has to read before it asks for more, and nobody else has', async () => {
  const replies = createUnreadReplies({ eachBytes: mebibyte, allBytes: 8 * mebibyte });
  const carrier = new Carried(mebibyte + 1);
  const taken = vi.fn();
  replies.watch({ account: 'a' }, carrier, taken);
  await vi.waitFor(() =>
    expect(replies.mayAsk({ account: 'a' })).toMatchObject({
      failure: { kind: 'rate_limited', limit: '1 MiB of replies that are not read' },
    }),
  );
  expect(replies.mayAsk({ account: 'b' }).ok).toBe(true);
  carrier.writableLength = 0;
  await vi.waitFor(() => expect(replies.mayAsk({ account: 'a' }).ok).toBe(true));
  // What is left takes little room.
  expect(taken).toHaveBeenCalledOnce();
  carrier.emit('close');
  expect(taken).toHaveBeenCalledOnce();
});

test('an end user who leaves half of that unread has to read first, and its account does not', async () => {
  const replies = createUnreadReplies({ eachBytes: mebibyte, allBytes: 8 * mebibyte });
  const mallory = { account: 'a', user: 'mallory' };
  const carrier = new Carried(mebibyte / 2 + 1);
  replies.watch(mallory, carrier, () => {});
  await vi.waitFor(() => expect(replies.mayAsk(mallory)).toMatchObject({ failure: { kind: 'rate_limited' } }));
  for (const owner of [{ account: 'a' }, { account: 'a', user: 'nina' }]) expect(replies.mayAsk(owner).ok).toBe(true);
  carrier.emit('close');
  await vi.waitFor(() => expect(replies.mayAsk(mallory).ok).toBe(true));
});

test('when too much waits of all, the account with most loses what waits longest, and no more than that', async () => {
  const replies = createUnreadReplies({ eachBytes: 4 * mebibyte, allBytes: 4 * mebibyte });
  const carriers = { b1: new Carried(mebibyte), a1: new Carried(2 * mebibyte), a2: new Carried(2 * mebibyte) };
  const taken: string[] = [];
  for (const [name, carrier] of Object.entries(carriers))
    replies.watch({ account: name.slice(0, 1) }, carrier, () => taken.push(name));
  await vi.waitFor(() => expect(taken).toEqual(['a1']));
  expect(carriers.a1.destroyed).toBe(true);
  expect(carriers.a2.destroyed || carriers.b1.destroyed).toBe(false);
});

test('a reply whose last frame is made is not over before its connection has taken it', () => {
  const replies = createUnreadReplies();
  const taken = vi.fn();
  const carrier = new Carried(10);
  carrier.closed = true;
  replies.watch({ account: 'a' }, carrier, taken);
  expect(taken).not.toHaveBeenCalled();
  const gone = new Carried(0);
  gone.closed = true;
  replies.watch({ account: 'a' }, gone, taken);
  expect(taken).toHaveBeenCalledOnce();
});

let server: GateServer;
beforeAll(async () => {
  server = await startGateServer();
});
afterAll(() => server.close(0));

/** Asks over HTTP/2 for a reply, with a window as given, and reads the head of it. */
async function ask(lane: (typeof lanes)[number], windowBytes: number) {
  const socket = connectTcp(Number(new URL(server.url).port), '127.0.0.1');
  const session = connect(server.url, {
    createConnection: () => socket,
    settings: { initialWindowSize: windowBytes },
  });
  await new Promise((resolve) => session.once('remoteSettings', resolve));
  const { path, type, body } = lane;
  const stream = session.request({ ':method': 'POST', ':path': path, 'content-type': type, authorization: goodToken });
  stream.on('error', () => {});
  stream.end(body);
  const { ':status': status } = await new Promise<{ ':status'?: number }>((resolve) =>
    stream.once('response', resolve),
  );
  return { session, socket, stream, status };
}

/** A message that is echoed: 600 KB. */
const said = { text: 'a', tags: Array.from({ length: 10 }, () => 'a'.repeat(60_000)) };
const json = JSON.stringify(said);
/** In gRPC's frame. */
function frame(): Buffer {
  const message = toBinary(SayRequestSchema, create(SayRequestSchema, said));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

const lanes = [
  { name: 'REST', path: '/gate/say', type: 'application/json', body: json },
  { name: 'Connect', path: '/intelligence.test.v1.GateService/Say', type: 'application/json', body: json },
  { name: 'gRPC', path: '/intelligence.test.v1.GateService/Say', type: 'application/grpc', body: frame() },
  {
    name: 'gRPC-Web',
    path: '/intelligence.test.v1.GateService/Say',
    type: 'application/grpc-web+proto',
    body: frame(),
  },
];

for (const lane of lanes)
  test(`${lane.name}: a call has its place until its reply is read, or its connection is gone`, async () => {
    const printed = vi.spyOn(console, 'error');
    const unread = await ask(lane, 0);
    expect(unread.status).toBe(200);
    await sleep(looks);
    expect(server.occupied()).toBe(1);
    unread.session.destroy();
    await vi.waitFor(() => expect(server.occupied()).toBe(0));
    // Connect would, and callers could fill the log with it.
    expect(printed).not.toHaveBeenCalled();

    const read = await ask(lane, mebibyte);
    read.stream.resume();
    await new Promise((resolve) => read.stream.once('close', resolve));
    await vi.waitFor(() => expect(server.occupied()).toBe(0));
    read.session.destroy();
  });

/** In which replies are looked at some times. */
const looks = 500;
