import type { DescMethod } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import type { Protocol } from '../../src/api/call.ts';
import type { Caller } from '../../src/base/caller.ts';
import { limitAdmission } from '../../src/edge/admission.ts';
import type { IncomingCall } from '../../src/edge/incoming-call.ts';
import { Health } from '../../src/gen/grpc/health/v1/health_pb.ts';
import { ChatService } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { WalletService } from '../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { createLimits } from '../../src/limits/index.ts';
import { handClock, keyCaller, keyLevels } from '../limits/callers.ts';
import { silent } from '../support/database.ts';

function incomingBy(protocol: Protocol) {
  const headers = new Map<string, string>();
  const incoming: IncomingCall = {
    protocol,
    peer: '192.0.2.7',
    signal: new AbortController().signal,
    deadline: undefined,
    header: () => undefined,
    setReplyHeader: (name, value) => void headers.set(name, value),
  };
  return { incoming, headers };
}

const levels = keyLevels({ requestsPerMinute: 60, requestBurst: 5, tokensPerMinute: 1000, streams: 1 });

test('replies over HTTP state what is left of the limits, in the draft and in the names OpenAI clients read', async () => {
  const admission = limitAdmission(createLimits({ clock: handClock(), log: silent, levels }));
  const { incoming, headers } = incomingBy('rest');
  expect((await admission.admit(keyCaller(), ChatService.method.chat, incoming)).ok).toBe(true);
  expect(Object.fromEntries(headers)).toEqual({
    'ratelimit-policy': '"requests";q=5;w=5, "tokens";q=1000;w=60',
    ratelimit: '"requests";r=4;t=1, "tokens";r=1000;t=0',
    'x-ratelimit-limit-requests': '5',
    'x-ratelimit-remaining-requests': '4',
    'x-ratelimit-reset-requests': '1s',
    'x-ratelimit-limit-tokens': '1000',
    'x-ratelimit-remaining-tokens': '1000',
    'x-ratelimit-reset-tokens': '0ms',
  });
});

test('a streaming method takes a place of streams until it ends', async () => {
  const admission = limitAdmission(createLimits({ clock: handClock(), log: silent, levels }));
  const ask = () => admission.admit(keyCaller(), Health.method.watch, incomingBy('grpc').incoming);
  const first = await ask();
  expect(await ask()).toMatchObject({ failure: { kind: 'rate_limited', limit: 'concurrent streams of the key' } });
  if (first.ok) first.value();
  expect((await ask()).ok).toBe(true);
});

test('refused credentials count against the address', async () => {
  const limits = createLimits({ clock: handClock(), log: silent, levels, anonymous: { refusedPerMinute: 6 } });
  const admission = limitAdmission(limits);
  const refused = Array.from({ length: 7 }, () => admission.refused('192.0.2.8').ok);
  expect(refused.filter(Boolean)).toHaveLength(5);
});

test('a call that turns out to be a stream takes a place of streams, and no second request', async () => {
  const limits = createLimits({ clock: handClock(), log: silent, levels: keyLevels({ requestBurst: 5, streams: 1 }) });
  const admission = limitAdmission(limits);
  const ask = () => admission.admit(keyCaller(), ChatService.method.chat, incomingBy('openai').incoming);
  const become = () => admission.admitStream(keyCaller());
  expect([(await ask()).ok, (await ask()).ok]).toEqual([true, true]);
  const first = await become();
  expect(await become()).toMatchObject({ failure: { kind: 'rate_limited', limit: 'concurrent streams of the key' } });
  if (first.ok) for (let time = 0; time < 2; time += 1) first.value();
  expect((await become()).ok).toBe(true);
  expect([(await ask()).ok, (await ask()).ok, (await ask()).ok, (await ask()).ok]).toEqual([true, true, true, false]);
});

test('an owner can pay and see the wallet when the account’s limits are used up; nothing else passes', async () => {
  const clock = handClock();
  const spent = { ...levels.account, requestsPerMinute: 60, requestBurst: 3 };
  const admission = limitAdmission(createLimits({ clock, log: silent, levels: { ...levels, account: spent } }));
  const owner: Caller = { ...keyCaller('key_owner'), credential: 'management_key' };
  const ask = async (caller: Caller, method: DescMethod) =>
    (await admission.admit(caller, method, incomingBy('rest').incoming)).ok;
  while (await ask(keyCaller(), ChatService.method.chat));
  const { createTopUp, getWallet, getTopUp, listEntries } = WalletService.method;
  for (const method of [createTopUp, getWallet, getTopUp]) expect(await ask(owner, method)).toBe(true);
  expect(await ask(owner, listEntries)).toBe(false);
  expect(await ask(keyCaller(), getWallet)).toBe(false);
  // The reserve is one account's own, and has a bound: 4 in flight.
  expect([await ask(owner, getWallet), await ask(owner, getWallet)]).toEqual([true, false]);
  expect(await ask({ ...owner, accountId: 'acc_2' }, createTopUp)).toBe(true);
});

test('the reserve for paying lets a few through a minute, and only that', async () => {
  const clock = handClock();
  const limits = createLimits({ clock, log: silent, levels });
  const pay = async () => {
    const answer = await limits.admitPayment(keyCaller());
    if (answer.ok) answer.value.release();
    return answer.ok;
  };
  let passed = 0;
  while (await pay()) passed += 1;
  expect(passed).toBe(10);
  clock.at += 1_000;
  expect([await pay(), await pay()]).toEqual([true, false]);
});
