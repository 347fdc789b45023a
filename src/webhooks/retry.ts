import { type Failure, fail, type Result, succeed } from '../base/failure.ts';
import { isId } from '../base/ids.ts';
import { type Database, lockQuota, type Transaction } from '../db/index.ts';
import { findDelivery, makeDue, recentRetries, retriedAgoMs } from './deliveries-store.ts';
import { leaseMs } from './dispatcher.ts';
import { findEndpoint } from './endpoints-store.ts';
import type { Delivery, Webhooks } from './types.ts';
import { toDelivery } from './views.ts';

const notFound: Failure = { kind: 'not_found', resource: 'delivery' };
const minuteMs = 60_000;
const perMinute = 30;
/** Per delivery: otherwise one that is answered at once could be posted endlessly. */
const restMs = 10_000;

/** Posts a delivery again at its owner's request. */
export function createRetry(db: Database): Webhooks['retryDelivery'] {
  /** Why it is too soon, if it is. */
  async function tooMany(tx: Transaction, accountId: string, deliveryId: string): Promise<Failure | undefined> {
    const agoMs = await retriedAgoMs(tx, deliveryId);
    if (agoMs !== undefined && agoMs < restMs)
      return { kind: 'rate_limited', limit: 'one retry of a delivery in 10 seconds', retryAfterMs: restMs - agoMs };
    const { count, firstAgoMs } = await recentRetries(tx, { accountId, withinMs: minuteMs });
    if (count < perMinute) return undefined;
    const limit = `retries of ${perMinute} deliveries a minute`;
    return { kind: 'rate_limited', limit, retryAfterMs: Math.max(1, minuteMs - firstAgoMs) };
  }

  async function retry(tx: Transaction, accountId: string, deliveryId: string): Promise<Result<Delivery>> {
    const row = isId('dlv', deliveryId) ? await findDelivery(tx, deliveryId) : undefined;
    if (row?.account_id !== accountId) return fail(notFound);
    const endpoint = await findEndpoint(tx, row.endpoint_id);
    if (endpoint?.state !== 'active') {
      const what = endpoint ? 'is disabled' : 'was removed';
      const description = `The endpoint of this delivery ${what}. Add it again; it is told of what happens from then on.`;
      return fail({ kind: 'precondition_failed', description });
    }
    await lockQuota(tx, accountId, 'webhook-retries');
    const tooSoon = await tooMany(tx, accountId, deliveryId);
    if (tooSoon) return fail(tooSoon);
    await makeDue(tx, deliveryId, leaseMs);
    const due = await findDelivery(tx, deliveryId);
    return due ? succeed(toDelivery(due)) : fail(notFound);
  }

  return (accountId, deliveryId, within = db) => within.transaction((tx) => retry(tx, accountId, deliveryId));
}
