import type { Result } from '../base/failure.ts';
import type { Page, PageRequest } from '../base/page.ts';
import type { Queryable, Transactional } from '../db/index.ts';

export type MessageType = 'wallet.low_balance' | 'pulse.alert' | 'webhook.test';

/**
 * Tells customers' servers of events, in the form of Standard Webhooks (standardwebhooks.com). `within`: the transaction that
 * a change is part of; absent: one of its own.
 */
export interface Webhooks {
  /** Fails with `invalid_argument` for a URL that may not be posted to, and with `precondition_failed` beyond 10 endpoints. */
  addEndpoint(
    accountId: string,
    url: string,
    within?: Transactional,
  ): Promise<Result<{ endpoint: Endpoint; secret: string }>>;
  listEndpoints(accountId: string, page: PageRequest): Promise<Result<Page<Endpoint>>>;
  /** Its deliveries that are pending are given up. */
  deleteEndpoint(accountId: string, endpointId: string, within?: Transactional): Promise<Result<undefined>>;
  /**
   * Replaces the secret; messages are signed with the old one as well for `overlapSeconds`, 0 to 7 days. Fails with `not_found`,
   * and with `invalid_argument` for another overlap.
   */
  rotateSecret(
    request: { accountId: string; endpointId: string; overlapSeconds: number },
    within?: Transactional,
  ): Promise<Result<{ endpoint: Endpoint; secret: string }>>;
  /** One message, posted once. Fails with `rate_limited` beyond 10 a minute and account. */
  testEndpoint(accountId: string, endpointId: string, within?: Transactional): Promise<Result<Delivery>>;
  /** Of the last 30 days, newest first. */
  listDeliveries(accountId: string, page: PageRequest & DeliveryFilter): Promise<Result<Page<Delivery>>>;
  /** Fails with `not_found`. */
  getDelivery(accountId: string, deliveryId: string): Promise<Result<{ delivery: Delivery; payload: string }>>;
  /**
   * Makes a delivery due at once, whatever became of it. Fails with `not_found`, with `precondition_failed` when its endpoint is
   * not active, and with `rate_limited` beyond one in 10 seconds of a delivery, and 30 deliveries a minute of an account.
   */
  retryDelivery(accountId: string, deliveryId: string, within?: Transactional): Promise<Result<Delivery>>;
  /**
   * Puts a message to all of an account's active endpoints into the outbox, in the caller's own transaction: it is
   * delivered if and only if that is committed, at least once.
   */
  enqueue(tx: Queryable, accountId: string, type: MessageType, data: object): Promise<void>;
  /** Posts all that is due and waits for the answers; how many. Once started, what is due is posted by itself. */
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
  /** Until when the secret before signs as well; absent when it does not. */
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
