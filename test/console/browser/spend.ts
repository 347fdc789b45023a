import { expect } from 'vitest';
import { send } from '../../support/app.ts';
import type { Site } from './harness.ts';

export const messages = [{ role: 'user', content: 'Which plan fits? The Basic plan fits.' }];

/** Charges of several kinds: chats with and without labels, of an end user, of a second key; a workflow; events. */
export async function spendSome({ app, customer }: Site): Promise<void> {
  const post = async (path: string, credential: string, body: object) => {
    const answer = await send(app, 'POST', path, credential, body);
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.body;
  };
  const chat = '/api/v1/assistant/chat';
  for (const project of ['blue', 'blue', 'green'])
    await post(chat, customer.apiKey, { messages, metadata: { project, user: 'ada' } });
  const second = await post('/v1/keys', customer.managementKey, { displayName: 'Mobile app', purpose: 'test' });
  await post(chat, String(second.secret), { messages });
  const token = await post('/v1/tokens', customer.apiKey, { subject: 'user-42', ttlSeconds: 600 });
  await post(chat, String(token.accessToken), { messages });
  await post('/v1/risk/check', customer.apiKey, { text: 'Guaranteed returns, risk-free!', domain: 'finance' });
  const event = { id: 'e1', journey: 'checkout', step: 'cart', kind: 'entered', sessionId: 's1' };
  const events = [{ ...event, occurredAt: new Date().toISOString() }];
  await post('/v1/pulse/events', customer.apiKey, { events });
}

/** An amount of the API, or of a page's `data` element, in nano-USD. */
export function nano(usd: string | null | undefined): bigint {
  const match = /^(-?)(\d+)\.(\d{2,9})$/.exec(usd ?? '');
  if (!match) throw new Error(`"${usd}" is no amount`);
  const [, sign, whole = '', decimals = ''] = match;
  const amount = BigInt(whole) * 1_000_000_000n + BigInt(decimals.padEnd(9, '0'));
  return sign === '-' ? -amount : amount;
}

export function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

/** What the ledger took for use, by its entries. */
export async function spentByEntries({ app, customer }: Site): Promise<bigint> {
  const { body } = await send(app, 'GET', '/v1/wallet/entries?pageSize=100', customer.managementKey);
  const used = body.entries.filter(({ kind }: { kind: string }) => kind === 'usage');
  return sum(used.map(({ amountUsd }: { amountUsd: string }) => -nano(amountUsd)));
}
