import { expect, test } from 'vitest';
import { type Attempt, canGoOn, newAttempt } from '../../../console/src/pages/playground/ask.ts';
import {
  askedChoice,
  beginAgain,
  beginReply,
  costOf,
  isOffered,
  noSettings,
  type Reply,
  requestOf,
  type Turn,
} from '../../../console/src/pages/playground/conversation.ts';

const models = [
  { provider: 'one', id: 'twin' },
  { provider: 'two', id: 'twin' },
  { provider: 'relay', id: 'one/single' },
  { provider: 'one', id: 'single' },
];
const requestFor = (choice: string, turns: readonly Turn[] = []) =>
  requestOf({ id: 'a', choice }, turns, noSettings, models);
const turn = (text: string, reply: Partial<Reply>): Turn => ({
  ...{ id: text, text, pictures: [] },
  replies: { a: { ...beginReply(), ...reply } },
});

test.each([
  ['one/twin', { provider: 'one', model: 'twin' }],
  ['two/twin', { provider: 'two', model: 'twin' }],
  ['one/single', { provider: 'one', model: 'single' }],
  ['relay/one/single', { provider: 'relay', model: 'one/single' }],
  // Not in the list: the service is to say so, and not to choose another.
  ['gone/model', { provider: 'gone', model: 'model' }],
  ['model', { model: 'model' }],
  ['auto:fast', { provider: 'auto', routing: { mode: 'fast' } }],
])('the request of %s names what was chosen, and nothing else', (choice, names) => {
  const { messages: _, ...request } = requestFor(choice);
  expect(request).toEqual(names);
});

test.each([
  ['two/twin', 'two/twin', true],
  ['single', 'one/single', true],
  ['twin', 'twin', false],
  ['gone', 'gone', false],
  ['auto:quality', 'auto:quality', true],
  ['auto:no-such-mode', 'auto:no-such-mode', false],
])('an address that asks for %s means %s', (asked, choice, offered) => {
  expect(askedChoice(asked, models)).toBe(choice);
  expect(isOffered(choice, models)).toBe(offered);
});

test('a message without a reply is not sent with later ones; the one that is asked is', () => {
  const turns = [
    turn('answered', { state: 'done', text: 'Yes.' }),
    turn('refused', { state: 'failed' }),
    turn('stopped early', { state: 'stopped' }),
    turn('cut', { state: 'failed', text: 'Half a' }),
    turn('asked', {}),
  ];
  expect(requestFor('one/twin', turns).messages?.map(({ content }) => content)).toEqual([
    ...['answered', 'Yes.', 'cut', 'Half a', 'asked'],
  ]);
});

test('a try that left a charge stays, and counts in what the conversation cost; one that left nothing is forgotten', () => {
  const charged: Reply = { ...beginReply(), state: 'failed', text: 'Half', chargeId: 'chg_1', costUsd: '0.25' };
  const second: Reply = { ...beginAgain(charged), state: 'failed' };
  const third: Reply = { ...beginAgain(second), state: 'done', text: 'Whole', costUsd: '0.5' };
  expect(third.earlier?.map(({ id }) => id)).toEqual([charged.id]);
  expect(new Set([charged.id, second.id, third.id]).size).toBe(3);
  expect(costOf([turn('said', third)])).toBe(750_000_000n);
});

test.each<[why: string, attempt: Partial<Attempt>, reason: string, goesOn: boolean]>([
  ['nothing was heard of it', {}, 'NO_ANSWER', true],
  ['it was refused after an answer was lost', {}, 'RATE_LIMITED', true],
  ['its reply is gone', {}, 'REPLY_PURGED', false],
  ['the connection broke in the middle', { chargeId: 'chg_1' }, 'NO_ANSWER', true],
  ['the connection broke, and it is not kept', { chargeId: 'chg_1', resumable: false }, 'NO_ANSWER', false],
  ['the model failed in the middle', { chargeId: 'chg_1' }, 'UPSTREAM_FAILED', false],
])('asked again when %s', (_why, attempt, reason, goesOn) => {
  const failure = { status: 0, code: '', reason, message: '', violations: [] };
  expect(canGoOn({ ...newAttempt(), ...attempt }, failure)).toBe(goesOn);
});
