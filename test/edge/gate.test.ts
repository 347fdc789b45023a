import { create } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { ServedService } from '../../src/api/handlers.ts';
import { nobody } from '../../src/base/caller.ts';
import { systemClock } from '../../src/base/clock.ts';
import { FailureError, fail, succeed } from '../../src/base/failure.ts';
import type { FinishedCall } from '../../src/edge/call-log.ts';
import { createGate } from '../../src/edge/gate.ts';
import type { IncomingCall } from '../../src/edge/incoming-call.ts';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { GateService } from '../gen/intelligence/test/v1/gate_pb.ts';
import { gateService } from '../support/gate-service.ts';

function gateWith(
  handlers: ServedService['handlers'] = {},
  more: readonly ServedService[] = [],
  { isRevoked = () => false, monotonic = () => 0 }: { isRevoked?: () => boolean; monotonic?: () => number } = {},
) {
  const finished: FinishedCall[] = [];
  let places = 0;
  const served = gateService();
  const gate = createGate({
    services: [{ ...served, handlers: { ...served.handlers, ...handlers } }, ...more],
    authenticate: (name = 'operator:test') =>
      isRevoked()
        ? fail({ kind: 'key_revoked' })
        : succeed({ ...nobody, credential: name.startsWith('operator') ? 'operator' : 'management_key', name }),
    admission: {
      admit: () => succeed(() => void places++),
      admitStream: () => succeed(() => {}),
      refused: () => succeed(undefined),
    },
    // Stands still: a call whose message comes late takes another step.
    clock: { ...systemClock, monotonic },
    log: pino({ level: 'silent' }),
    texts: { minimumTopUpUsd: '5.00' },
    observe: (call) => finished.push(call),
  });
  return { gate, finished, released: () => places };
}

function incoming(): IncomingCall {
  return {
    protocol: 'rest',
    peer: '127.0.0.1',
    signal: new AbortController().signal,
    deadline: undefined,
    header: () => undefined,
    setReplyHeader: () => {},
  };
}

const { count, say } = GateService.method;

test('a stream that its consumer leaves in the middle is a cancelled call, and ends once', async () => {
  const { gate, finished, released } = gateWith();
  const call = await gate.admit(count, incoming());
  for await (const _ of gate.stream(call, create(count.input, { to: 5 }))) break;
  expect(finished.map(({ outcome }) => outcome)).toEqual(['cancelled']);
  expect(released()).toBe(1);
});

test.each([
  ['its deadline has passed', new ConnectError('the operation timed out', Code.DeadlineExceeded), 'deadline_exceeded'],
  ['the service was shut down', new FailureError({ kind: 'shutting_down' }), 'shutting_down'],
  ['its caller has left', new ConnectError('gone', Code.Canceled), 'cancelled'],
])('a call that gives up because %s is answered so', async (_, reason, kind) => {
  const ending = new AbortController();
  const { gate } = gateWith({
    say: async () => {
      ending.abort(reason);
      throw new FailureError({ kind: 'cancelled' });
    },
  });
  const call = await gate.admit(say, { ...incoming(), signal: ending.signal });
  await expect(gate.unary(call, create(say.input, { text: 'a' }))).rejects.toMatchObject({ failure: { kind } });
});

test('unary calls that arrive in one turn of the event loop are handled as a batch, and a stream waits for nobody', async () => {
  const steps: string[] = [];
  const { gate } = gateWith({
    say: async (request) => {
      const { text } = request as unknown as { text: string };
      steps.push(`${text} begins`);
      await undefined;
      steps.push(`${text} ends`);
      return { text };
    },
  });
  const [one, other, stream] = [
    await gate.admit(say, incoming()),
    await gate.admit(say, incoming()),
    await gate.admit(count, incoming()),
  ];
  const done: Promise<unknown>[] = [];
  await new Promise<void>((resolve) => {
    // Two callbacks of one turn, as two sockets have them: what the first one's promises do is done before the second.
    setImmediate(() => done.push(gate.unary(one, create(say.input, { text: 'one' }))));
    setImmediate(() => {
      done.push(gate.unary(other, create(say.input, { text: 'other' })));
      const first = gate
        .stream(stream, create(count.input, { to: 1 }))
        [Symbol.asyncIterator]()
        .next();
      done.push(first.then(() => steps.push('stream')));
      resolve();
    });
  });
  await Promise.all(done);
  expect(steps).toEqual(['stream', 'one begins', 'other begins', 'one ends', 'other ends']);
});

test('an account reads four lists at once; its others wait, and nobody else does', async () => {
  const open: (() => void)[] = [];
  const answer = () => new Promise((resolve) => open.push(() => resolve({ charges: [] })));
  const handlers = Object.fromEntries(WalletService.methods.map(({ localName }) => [localName, answer]));
  const { gate } = gateWith({}, [{ service: WalletService, handlers } as unknown as ServedService]);
  const { listCharges } = WalletService.method;
  const ask = async (name: string) => {
    const call = await gate.admit(listCharges, {
      ...incoming(),
      header: (header) => (header === 'authorization' ? name : undefined),
    });
    return gate.unary(call, create(listCharges.input, {}));
  };
  const crowd = Array.from({ length: 6 }, () => ask('crowd'));
  await expect.poll(() => open.length).toBe(4);
  const other = ask('other');
  await expect.poll(() => open.length).toBe(5);
  // The other one's is the fifth, and ends while two of the crowd's have not begun.
  open[4]?.();
  await other;
  expect(open).toHaveLength(5);
  for (let done = 0; done < 7; done++) {
    await expect.poll(() => open.length).toBeGreaterThan(done);
    open[done]?.();
  }
  expect(await Promise.all(crowd)).toHaveLength(6);
});

test('a stream whose key was revoked since its headers came does not begin, however soon that was', async () => {
  let isRevoked = false;
  let begun = 0;
  async function* count(): AsyncGenerator<{ number: number }> {
    begun += 1;
    yield { number: 1 };
  }
  const { gate, released } = gateWith({ count }, [], { isRevoked: () => isRevoked });
  const withKey = { ...incoming(), header: (name: string) => (name === 'authorization' ? 'operator:test' : undefined) };
  const call = await gate.admit(GateService.method.count, withKey);
  isRevoked = true;
  const stream = gate.stream(call, create(GateService.method.count.input, { to: 1 }))[Symbol.asyncIterator]();
  await expect(stream.next()).rejects.toMatchObject({ failure: { kind: 'key_revoked' } });
  expect([begun, released()]).toEqual([0, 1]);
});

test('a message that comes with its headers is not looked at twice, and one that comes later is', async () => {
  let time = 0;
  let isRevoked = false;
  const { gate } = gateWith({}, [], { isRevoked: () => isRevoked, monotonic: () => time });
  const [soon, late] = [await gate.admit(say, incoming()), await gate.admit(say, incoming())];
  isRevoked = true;
  time = 100;
  expect(await gate.unary(soon, create(say.input, { text: 'soon' }))).toMatchObject({ text: 'soon' });
  time = 101;
  const answer = gate.unary(late, create(say.input, { text: 'late' }));
  await expect(answer).rejects.toMatchObject({ failure: { kind: 'key_revoked' } });
});
