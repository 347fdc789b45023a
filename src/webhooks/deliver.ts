import type { Logger } from 'pino';
import { Webhook } from 'standardwebhooks';
import type { Seal } from '../base/seal.ts';
import type { Database } from '../db/index.ts';
import { type DeliveryRow, giveUp, noteAttempt, testType } from './deliveries-store.ts';
import { disableEndpoint, type EndpointRow, findEndpoint } from './endpoints-store.ts';
import type { Poster } from './post.ts';

export interface DeliverDependencies {
  db: Database;
  seal: Seal;
  poster: Poster;
  log: Logger;
  random: () => number;
}

/** Rests between attempts, as Standard Webhooks suggests: seconds, minutes, hours. There is one more attempt than there are rests. */
const second = 1_000;
const hour = 3_600_000;
const restsMs = [5 * second, 300 * second, hour / 2, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour];

/** The context that a secret is sealed with. */
export function secretContext(endpointId: string): string {
  return `webhook-secret:${endpointId}`;
}

/** Posts a claimed delivery, and records the outcome. A test is posted only once. */
export async function attempt(deps: DeliverDependencies, row: DeliveryRow): Promise<void> {
  const { db, log, random } = deps;
  const endpoint = await findEndpoint(db, row.endpoint_id);
  const secret = endpoint && deps.seal.open(endpoint.secret, secretContext(endpoint.id));
  if (endpoint?.state !== 'active' || !secret) {
    if (endpoint && !secret)
      log.error({ endpoint: endpoint.id }, "a webhook's secret can not be opened: its key is gone");
    await noteAttempt(db, { ...ended(row), state: 'failed', problem: 'the endpoint is not active' });
    return;
  }
  const previous = previousSecret(deps.seal, endpoint);
  const headers = headersOf(row, previous ? [secret, previous] : [secret]);
  const { status, problem } = await deps.poster.post(endpoint.url, headers, row.payload);
  if (status === 410) return disable(db, endpoint);
  const restMs = row.type === testType ? undefined : restsMs[row.attempts];
  const state = problem === undefined ? 'delivered' : restMs === undefined ? 'failed' : 'pending';
  // Jitter, so that deliveries that failed together do not retry together.
  const retryMs = Math.round((restMs ?? 0) * (1 + random() * 0.1));
  await noteAttempt(db, { id: row.id, state, status, problem, retryMs });
}

function ended({ id }: DeliveryRow) {
  return { id, status: undefined, retryMs: 0 };
}

/** Gone means gone: nothing more is sent there. */
async function disable(db: Database, endpoint: EndpointRow): Promise<void> {
  await db.transaction(async (tx) => {
    await disableEndpoint(tx, endpoint.id);
    await giveUp(tx, endpoint.id, 'the endpoint answered 410 Gone and is disabled');
  });
}

/** The secret from before the last rotation, while it still signs. */
function previousSecret(seal: Seal, endpoint: EndpointRow): Uint8Array | undefined {
  const { id, previous_secret: sealed } = endpoint;
  return sealed && previousExpiry(endpoint) ? seal.open(sealed, secretContext(id)) : undefined;
}

/** When the secret from before the last rotation expires; undefined if it has. */
export function previousExpiry({ previous_expires_at_us: us }: EndpointRow): Date | undefined {
  const expiry = us === null ? undefined : new Date(Number(us / 1_000n));
  return expiry && expiry.getTime() > Date.now() ? expiry : undefined;
}

/** Several secrets give several signatures; a receiver accepts the message if one of them is valid (Standard Webhooks). */
function headersOf(
  { message_id: messageId, payload }: DeliveryRow,
  secrets: readonly Uint8Array[],
): Record<string, string> {
  const now = new Date();
  return {
    'content-type': 'application/json',
    'user-agent': 'Intelligence-API-Webhooks/1',
    'webhook-id': messageId,
    'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
    'webhook-signature': secrets
      .map((secret) => new Webhook(secret, { format: 'raw' }).sign(messageId, now, payload))
      .join(' '),
  };
}
