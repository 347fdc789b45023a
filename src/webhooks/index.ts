/** Messages to customers' own servers: signed, retried, logged. */
import { randomBytes } from 'node:crypto';
import type { Logger } from 'pino';
import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import { isId, newId } from '../base/ids.ts';
import { makePage, readPageRequest } from '../base/page.ts';
import { present } from '../base/present.ts';
import { createRounds } from '../base/rounds.ts';
import type { Seal } from '../base/seal.ts';
import { type Database, lockQuota, type Queryable } from '../db/index.ts';
import { secretContext } from './deliver.ts';
import { createDispatcher } from './dispatcher.ts';
import { createPoster } from './post.ts';
import { addressInUrl, isPublicAddress } from './public-address.ts';
import type { Delivery, Endpoint, MessageType, Webhooks } from './types.ts';
import {
  countEndpoints,
  type DeliveryRow,
  type EndpointRow,
  findDelivery,
  findEndpoint,
  insertDeliveries,
  insertEndpoint,
  listDeliveryRows,
  listEndpointRows,
  recentTests,
  removeEndpoint,
  sweepDeliveries,
} from './webhooks-store.ts';

export type { Delivery, Endpoint, MessageType, Webhooks } from './types.ts';

export interface WebhooksDependencies {
  db: Database;
  log: Logger;
  /** For the endpoints' secrets. */
  seal: Seal;
  /** Also plain HTTP and private addresses; for tests and closed networks. Otherwise customers could post into the operator's network. */
  allowPrivateNetworks: boolean;
  random?: () => number;
}

const endpointsMax = 10;
const endpointsFull = `An account has at most ${endpointsMax} endpoints. Delete one that is not used any more.`;
const everyMs = 2_000;
const keptMs = 30 * 24 * 3_600_000;
const sweepMax = 1_000;
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
    },
    onError: (error) => log.warn({ err: error }, 'webhooks could not be delivered; they are tried again'),
  });

  async function endpointOf(accountId: string, endpointId: string): Promise<Result<EndpointRow>> {
    const row = isId('whk', endpointId) ? await findEndpoint(db, endpointId) : undefined;
    return row?.account_id === accountId ? succeed(row) : fail({ kind: 'not_found', resource: 'endpoint' });
  }

  /** One message to some endpoints of an account; the ids of its deliveries. */
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
      const secret = randomBytes(32);
      const sealed = Buffer.from(seal.seal(secret, secretContext(id)));
      const hasRoom = await within.transaction(async (tx) => {
        await lockQuota(tx, accountId, 'webhook-endpoints');
        if ((await countEndpoints(tx, accountId)) >= endpointsMax) return false;
        await insertEndpoint(tx, { id, accountId, url, secret: sealed });
        return true;
      });
      if (!hasRoom) return fail({ kind: 'precondition_failed', description: endpointsFull });
      const added = await findEndpoint(within, id);
      if (!added) throw new Error('An endpoint that was just added is gone.');
      return succeed({ endpoint: toEndpoint(added), secret: `whsec_${secret.toString('base64')}` });
    },
    async listEndpoints(accountId, page) {
      const start = readPageRequest('webhook-endpoints', page);
      if (!start.ok) return start;
      const { after, size } = start.value;
      const rows = await listEndpointRows(db, { accountId, before: after, limit: size + 1 });
      return succeed(makePage('webhook-endpoints', start.value, rows.map(toEndpoint), ({ endpointId }) => endpointId));
    },
    async deleteEndpoint(accountId, endpointId) {
      const removed = await db.transaction((tx) => removeEndpoint(tx, accountId, endpointId));
      return removed ? succeed(undefined) : fail({ kind: 'not_found', resource: 'endpoint' });
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
    async listDeliveries(accountId, page) {
      const start = readPageRequest('webhook-deliveries', page);
      if (!start.ok) return start;
      const { after, size } = start.value;
      const rows = await listDeliveryRows(db, { accountId, before: after, limit: size + 1 });
      return succeed(makePage('webhook-deliveries', start.value, rows.map(toDelivery), ({ deliveryId }) => deliveryId));
    },
    async enqueue(tx, accountId, type, data) {
      const endpoints = await listEndpointRows(tx, { accountId, before: undefined, limit: 2 * endpointsMax });
      const endpointIds = endpoints.filter(({ state }) => state === 'active').map(({ id }) => id);
      await send(tx, { accountId, endpointIds, type, data });
    },
    deliver: dispatcher.drain,
    start: rounds.start,
    async close() {
      const closed = Promise.all([rounds.close(), dispatcher.close()]);
      // What is being posted breaks off; it is posted again by whoever is next.
      await poster.close();
      await closed;
    },
  };
}

/** Why a URL can't be an endpoint. Names are looked at again whenever they are resolved. */
function urlProblem(text: string, allowPrivateNetworks: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url) return 'must be a URL such as https://example.com/webhooks';
  if (url.protocol !== 'https:' && !(allowPrivateNetworks && url.protocol === 'http:'))
    return 'must start with https://';
  if (url.username !== '' || url.password !== '') return 'must have no user name and no password';
  const address = addressInUrl(url);
  const isLocal = address === undefined ? /(^|\.)localhost\.?$/.test(url.hostname) : !isPublicAddress(address);
  return isLocal && !allowPrivateNetworks ? 'must be on the public internet' : undefined;
}

function toEndpoint(row: EndpointRow): Endpoint {
  return { endpointId: row.id, url: row.url, state: row.state, createdAt: dateOf(row.created_at_us) };
}

function toDelivery(row: DeliveryRow): Delivery {
  return present({
    deliveryId: row.id,
    messageId: row.message_id,
    endpointId: row.endpoint_id,
    type: row.type,
    state: row.state,
    attempts: row.attempts,
    lastStatus: row.last_status ?? undefined,
    lastProblem: row.last_problem ?? undefined,
    createdAt: dateOf(row.created_at_us),
    lastAttemptAt: row.last_attempt_at_us === null ? undefined : dateOf(row.last_attempt_at_us),
    nextAttemptAt: row.next_attempt_at_us === null ? undefined : dateOf(row.next_attempt_at_us),
  });
}

function dateOf(us: bigint): Date {
  return new Date(Number(us / 1_000n));
}
