import { present } from '../base/present.ts';
import { previousExpiry } from './deliver.ts';
import type { DeliveryRow } from './deliveries-store.ts';
import type { EndpointRow } from './endpoints-store.ts';
import type { Delivery, Endpoint } from './types.ts';

/** An endpoint as its account sees it: without its secrets. */
export function toEndpoint(row: EndpointRow): Endpoint {
  return present({
    endpointId: row.id,
    url: row.url,
    state: row.state,
    createdAt: dateOf(row.created_at_us),
    previousSecretExpiresAt: previousExpiry(row),
  });
}

export function toDelivery(row: DeliveryRow): Delivery {
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
