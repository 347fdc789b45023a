import type { Result } from '../base/failure.ts';
import type { Page, PageRequest } from '../base/page.ts';
import type { Queryable, Transactional } from '../db/index.ts';

export type MessageType = 'wallet.low_balance' | 'pulse.alert' | 'webhook.test';

/**
 * Notifies customers' servers of events, in the Standard Webhooks format (standardwebhooks.com). `within`: the transaction that
 * a change is part of; absent: one of its own.
 */
export interface Webhooks {
  /** Fails with `invalid_argument` for a URL that may not be posted to, and with `precondition_failed` above 10 endpoints. */
  addEndpoint(
    accountId: string,
    url: string,
    within?: Transactional,
  ): Promise<Result<{ endpoint: Endpoint; secret: string }>>;
  listEndpoints(accountId: string, page: PageRequest): Promise<Result<Page<Endpoint>>>;
  /** Abandons its pending deliveries. */
  deleteEndpoint(accountId: string, endpointId: string, within?: Transactional): Promise<Result<undefined>>;
  /**
   * Replaces the secret; messages are also signed with the old one for `overlapSeconds`, 0 to 7 days. Fails with `not_found`,
   * and with `invalid_argument` for any other overlap.
   */
  rotateSecret(
    request: { accountId: string; endpointId: string; overlapSeconds: number },
    within?: Transactional,
  ): Promise<Result<{ endpoint: Endpoint; secret: string }>>;
  /** One message, posted once. Fails with `rate_limited` above 10 per minute and account. */
  testEndpoint(accountId: string, endpointId: string, within?: Transactional): Promise<Result<Delivery>>;
  /** From the last 30 days, newest first. */
  listDeliveries(accountId: string, page: PageRequest & DeliveryFilter): Promise<Result<Page<Delivery>>>;
  /** Fails with `not_found`. */
  getDelivery(accountId: string, deliveryId: string): Promise<Result<{ delivery: Delivery; payload: string }>>;
  /**
   * Makes a delivery due at once, whatever its outcome was. Fails with `not_found`, with `precondition_failed` if its endpoint
   * is not active, and with `rate_limited` beyond one per 10 seconds for a delivery, or 30 deliveries per minute for an
   * account.
   */
  retryDelivery(accountId: string, deliveryId: string, within?: Transactional): Promise<Result<Delivery>>;
  /**
   * Puts a message to all of an account's active endpoints into the outbox, in the caller's own transaction: it is delivered,
   * at least once, if and only if that transaction commits.
   */
  enqueue(tx: Queryable, accountId: string, type: MessageType, data: object): Promise<void>;
  /** Posts everything due and waits for the answers; returns how many. After `start`, due deliveries are posted automatically. */
  deliver(): Promise<number>;
  start(): void;
  close(): Promise<void>;
}

/** Which deliveries: only those to one endpoint, or in one state. */
export interface DeliveryFilter {
  endpointId?: string | undefined;
  state?: Delivery['state'] | undefined;
}

export interface Endpoint {
  endpointId: string;
  url: string;
  state: 'active' | 'disabled';
  createdAt: Date;
  /** Until when the previous secret also signs; absent if it does not. */
  previousSecretExpiresAt?: Date;
}

export interface Delivery {
  deliveryId: string;
  messageId: string;
  endpointId: string;
  type: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  lastStatus?: number;
  lastProblem?: string;
  createdAt: Date;
  lastAttemptAt?: Date;
  nextAttemptAt?: Date;
}
