import { create } from '@bufbuild/protobuf';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { nobody } from '../../src/base/caller.ts';
import { systemClock } from '../../src/base/clock.ts';
import { succeed } from '../../src/base/failure.ts';
import { createGate, type FinishedCall } from '../../src/edge/gate.ts';
import { GateService } from '../gen/intelligence/test/v1/gate_pb.ts';
import { gateService } from '../support/gate-service.ts';

test('a stream that its consumer leaves in the middle is a cancelled call, and ends once', async () => {
  const finished: FinishedCall[] = [];
  let places = 0;
  const gate = createGate({
    services: [gateService()],
    authenticate: () => succeed({ ...nobody, credential: 'operator', name: 'operator:test' }),
    admission: { admit: () => succeed(() => void places++), refused: () => succeed(undefined) },
    clock: systemClock,
    log: pino({ level: 'silent' }),
    texts: { minimumTopUpUsd: '5.00' },
    observe: (call) => finished.push(call),
  });
  const { count } = GateService.method;
  const call = await gate.admit(count, {
    protocol: 'rest',
    peer: '127.0.0.1',
    signal: new AbortController().signal,
    deadline: undefined,
    header: () => undefined,
    setReplyHeader: () => {},
  });
  for await (const _ of gate.stream(call, create(count.input, { to: 5 }))) break;
  expect(finished.map(({ outcome }) => outcome)).toEqual(['cancelled']);
  expect(places).toBe(1);
});
