/** Messages to customers' own servers: signed, retried, logged. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import { isId, newId } from '../base/ids.ts';
import { makePage, readPageRequest } from '../base/page.ts';
import { createRounds } from '../base/rounds.ts';
import type { Seal } from '../base/seal.ts';
import { type Database, lockQuota, type Queryable } from '../db/index.ts';
import { secretContext } from './deliver.ts';
import { findDelivery, insertDeliveries, listDeliveryRows, recentTests, sweepDeliveries } from './deliveries-store.ts';
import { createDispatcher } from './dispatcher.ts';
import {
  countEndpoints,
  type EndpointRow,
  findEndpoint,
  forgetPreviousSecrets,
  insertEndpoint,
  listEndpointRows,
  removeEndpoint,
  replaceSecret,
} from './endpoints-store.ts';
import { createPoster } from './post.ts';
import { addressInUrl, isPublicAddress } from './public-address.ts';
import { createRetry } from './retry.ts';
import type { MessageType, Webhooks } from './types.ts';
import { toDelivery, toEndpoint } from './views.ts';

export { readWebhookBacklog } from './backlog-store.ts';
export type { Delivery, Endpoint, MessageType, Webhooks } from './types.ts';

export interface WebhooksDependencies {
  db: Database;
  log: Logger;
  /** For the endpoints' secrets. */
  seal: Seal;
  /** Also allows plain HTTP and private addresses; for tests and closed networks. Otherwise customers could post into the operator's network. */
  allowPrivateNetworks: boolean;
  random?: () => number;
}

const endpointsMax = 10;
const endpointsFull = `An account has at most ${endpointsMax} endpoints. Delete one that is not used any more.`;
const everyMs = 2_000;
const keptMs = 30 * 24 * 3_600_000;
const sweepMax = 1_000;
/** The same as for keys. */
const overlapSecondsMax = 7 * 24 * 3600;
const testsPerMinute = 10;
const minuteMs = 60_000;

export function createWebhooks(dependencies: WebhooksDependencies): Webhooks {
  const { db, log, seal, allowPrivateNetworks, random = Math.random } = dependencies;
  const poster = createPoster({ allowPrivateNetworks });
  const dispatcher = createDispatcher({ db, seal, poster, log, random });
  const rounds = createRounds({
    everyMs,
    run: async () => {
      await dispatcher.start();
      await sweepDeliveries(db, { keptMs, limit: sweepMax });
      await forgetPreviousSecrets(db, sweepMax);
    },
    onError: (error) => log.warn({ err: error }, 'webhooks could not be delivered; they are tried again'),
  });

  async function endpointOf(accountId: string, endpointId: string): Promise<Result<EndpointRow>> {
    const row = isId('whk', endpointId) ? await findEndpoint(db, endpointId) : undefined;
    return row?.account_id === accountId ? succeed(row) : fail({ kind: 'not_found', resource: 'endpoint' });
  }

  /** A new signing secret, as shown once to its owner, and as stored. */
  function newSecret(endpointId: string): { secret: string; sealed: Buffer } {
    const bytes = randomBytes(32);
    return {
      secret: `whsec_${bytes.toString('base64')}`,
      sealed: Buffer.from(seal.seal(bytes, secretContext(endpointId))),
    };
  }

  /** Sends one message to some of an account's endpoints; returns the ids of its deliveries. */
  async function send(
    tx: Queryable,
    {
      accountId,
      endpointIds,
      type,
      data,
    }: { accountId: string; endpointIds: string[]; type: MessageType; data: object },
  ): Promise<string[]> {
    if (endpointIds.length === 0) return [];
    const messageId = newId('evt');
    const payload = JSON.stringify({ type, timestamp: new Date().toISOString(), data });
    const rows = endpointIds.map((endpointId) => ({
      ...{ id: newId('dlv'), accountId, endpointId, messageId, type, payload },
    }));
    await insertDeliveries(tx, rows);
    return rows.map(({ id }) => id);
  }

  return {
    async addEndpoint(accountId, url, within = db) {
      const problem = urlProblem(url, allowPrivateNetworks);
      if (problem !== undefined) return fail(invalid('url', problem));
      const id = newId('whk');
      const { secret, sealed } = newSecret(id);
      const hasRoom = await within.transaction(async (tx) => {
        await lockQuota(tx, accountId, 'webhook-endpoints');
        if ((await countEndpoints(tx, accountId)) >= endpointsMax) return false;
        await insertEndpoint(tx, { id, accountId, url, secret: sealed });
        return true;
      });
      if (!hasRoom) return fail({ kind: 'precondition_failed', description: endpointsFull });
      const added = await findEndpoint(within, id);
      if (!added) throw new Error('An endpoint that was just added is gone.');
      return succeed({ endpoint: toEndpoint(added), secret });
    },
    async listEndpoints(accountId, page) {
      const start = readPageRequest('webhook-endpoints', page);
      if (!start.ok) return start;
      const { after, size } = start.value;
      const rows = await listEndpointRows(db, { accountId, before: after, limit: size + 1 });
      return succeed(makePage('webhook-endpoints', start.value, rows.map(toEndpoint), ({ endpointId }) => endpointId));
    },
    async deleteEndpoint(accountId, endpointId, within = db) {
      const removed = await within.transaction((tx) => removeEndpoint(tx, accountId, endpointId));
      return removed ? succeed(undefined) : fail({ kind: 'not_found', resource: 'endpoint' });
    },
    async rotateSecret({ accountId, endpointId, overlapSeconds }, within = db) {
      if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > overlapSecondsMax)
        return fail(invalid('overlapSeconds', `must be from 0 to ${overlapSecondsMax}`));
      const { secret, sealed } = newSecret(endpointId);
      const change = { id: endpointId, accountId, secret: sealed, overlapMs: overlapSeconds * 1_000 };
      const isReplaced = isId('whk', endpointId) && (await within.transaction((tx) => replaceSecret(tx, change)));
      const row = isReplaced ? await findEndpoint(within, endpointId) : undefined;
      return row ? succeed({ endpoint: toEndpoint(row), secret }) : fail({ kind: 'not_found', resource: 'endpoint' });
    },
    async testEndpoint(accountId, endpointId, within = db) {
      const found = await endpointOf(accountId, endpointId);
      if (!found.ok) return found;
      if (found.value.state !== 'active')
        return fail({ kind: 'precondition_failed', description: 'The endpoint is disabled. Add it again.' });
      const message = { accountId, endpointIds: [endpointId], type: 'webhook.test' as const, data: { endpointId } };
      const sent = await within.transaction(async (tx): Promise<Result<string | undefined>> => {
        await lockQuota(tx, accountId, 'webhook-tests');
        const { count, firstAgoMs } = await recentTests(tx, { accountId, withinMs: minuteMs });
        if (count < testsPerMinute) return succeed((await send(tx, message))[0]);
        const limit = `${testsPerMinute} webhook tests a minute`;
        return fail({ kind: 'rate_limited', limit, retryAfterMs: Math.max(1, minuteMs - firstAgoMs) });
      });
      if (!sent.ok) return sent;
      const row = await findDelivery(within, sent.value ?? '');
      if (!row) throw new Error('A delivery that was just added is gone.');
      return succeed(toDelivery(row));
    },
    async listDeliveries(accountId, { endpointId, state, ...page }) {
      const start = readPageRequest('webhook-deliveries', page);
      if (!start.ok) return start;
      const { after, size } = start.value;
      const rows = await listDeliveryRows(db, { accountId, endpointId, state, before: after, limit: size + 1 });
      return succeed(makePage('webhook-deliveries', start.value, rows.map(toDelivery), ({ deliveryId }) => deliveryId));
    },
    async getDelivery(accountId, deliveryId) {
      const row = isId('dlv', deliveryId) ? await findDelivery(db, deliveryId) : undefined;
      return row?.account_id === accountId
        ? succeed({ delivery: toDelivery(row), payload: row.payload })
        : fail({ kind: 'not_found', resource: 'delivery' });
    },
    retryDelivery: createRetry(db),
    async enqueue(tx, accountId, type, data) {
      const endpoints = await listEndpointRows(tx, { accountId, before: undefined, limit: 2 * endpointsMax });
      const endpointIds = endpoints.filter(({ state }) => state === 'active').map(({ id }) => id);
      await send(tx, { accountId, endpointIds, type, data });
    },
    deliver: dispatcher.drain,
    start: rounds.start,
    async close() {
      const closed = Promise.all([rounds.close(), dispatcher.close()]);
      // Anything being posted is interrupted, and will be posted again by the next node.
      await poster.close();
      await closed;
    },
  };
}

/** Why a URL can't be an endpoint. Names are checked again each time they are resolved. */
function urlProblem(text: string, allowPrivateNetworks: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return 'must be a URL such as https://example.com/webhooks';
  // Parsers drop or escape them, so what is shown in lists would be another URL than the one that is called.
  if (/[\p{Cc}\s]/u.test(text)) return 'must have no blanks and no control characters';
  if (url.protocol !== 'https:' && !(allowPrivateNetworks && url.protocol === 'http:'))
    return 'must start with https://';
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password';
  const address = addressInUrl(url);
  const isLocal = address === undefined ? /(^|\.)localhost\.?$/.test(url.hostname) : !isPublicAddress(address);
  return isLocal && !allowPrivateNetworks ? 'must be on the public internet' : undefined;
}
