import { type Attack, chatPath, messages, mustAnswer, tooMuch } from './attack.ts';

/** Texts that a key's guardrails check before anything is held for a request: as many as they check, and more. */

const sentence = 'The parcel arrives on Monday, and we look forward to seeing you again. ';

function calling(args: string): object {
  return {
    model: 'plain',
    messages: [
      ...messages,
      { role: 'assistant', toolCalls: [{ id: 'a', name: 'send', arguments: args }] },
      { role: 'tool', toolCallId: 'a', content: 'done' },
      ...messages,
    ],
  };
}

function saying(count: number, text: string): object {
  return { model: 'plain', messages: Array.from({ length: count }, () => ({ role: 'user', content: text })) };
}

function list(count: number): string {
  return JSON.stringify(Array.from({ length: count }, (_, at) => `a${at}`));
}

const shapes: readonly object[] = [
  saying(300, sentence.repeat(20)),
  calling(list(4_500)),
  saying(2_000, 'Which plan?'),
  calling(list(25_000)),
  calling(`[${Array(150_000).fill('""').join(',')}]`),
];

export const guardrailAttacks: readonly Attack[] = [
  {
    name: 'guardrail-texts',
    about: '300 messages of 1,420 characters, and calls of tools with 25,000 short strings, to a key with guardrails',
    // An end user's token of one cent pays for few of them; the guardrails' checks come before that.
    right: ['200', '402', ...tooMuch],
    width: 4,
    open: async (stage) => {
      const { managementKey } = await stage.openAccount();
      const caller = stage.stranger();
      const key = await caller.request('POST', '/v1/keys', {
        credential: managementKey,
        body: { displayName: 'guarded', purpose: 'a test', guardrails: { input: { action: 'flag' } } },
      });
      mustAnswer(key);
      const { secret } = JSON.parse(key.text) as { secret: string };
      const made = await caller.request('POST', '/v1/tokens', {
        credential: secret,
        body: { subject: 'mallory', spendingCapUsd: '0.01' },
      });
      mustAnswer(made);
      const { accessToken } = JSON.parse(made.text) as { accessToken: string };
      const ask = (body: object | string) => caller.request('POST', chatPath, { credential: accessToken, body });
      mustAnswer(await ask({ ...calling('["a"]'), maxOutputTokens: 20 }), '"guardrail"');
      const bodies = shapes.map((shape) => JSON.stringify(shape));
      return { send: async (turn) => (await ask(bodies[turn % bodies.length] ?? '')).status };
    },
  },
];
