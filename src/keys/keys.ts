import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.ts';
import { type Failure, FailureError, type FieldViolation, fail, type Result, succeed } from '../base/failure.ts';
import { newId } from '../base/ids.ts';
import { makePage, type Page, type PageRequest, readPageRequest } from '../base/page.ts';
import type { Transactional } from '../db/index.ts';
import type { KeysStore } from './keys-store.ts';
import { hashSecret, type Peppers } from './pepper.ts';
import { formatSecret } from './secret.ts';
import { type ApiKey, type KeyChanges, type KeyWithSecret, keyScopes, type NewKey } from './types.ts';
import { notOfManagement, violationsOf } from './violations.ts';

/** The longest that a replaced secret may keep working. */
export const overlapSecondsMax = 7 * 24 * 3600;

/** Per account, of both kinds; revoked keys do not count. */
export const keysMax = 1_000;
const keysFull = `The account has ${keysMax} keys, which is the most that it may have. Revoke one that is not used any more.`;

/** What owners do with their keys. `within`: the transaction to join; absent: its own. */
export interface KeyLifecycle {
  /** Fails with `precondition_failed` if the account has `keysMax` keys that are not revoked. */
  create(key: NewKey, within?: Transactional): Promise<Result<KeyWithSecret>>;
  list(accountId: string, page: PageRequest): Promise<Result<Page<ApiKey>>>;
  get(accountId: string, keyId: string): Promise<Result<ApiKey>>;
  update(accountId: string, keyId: string, changes: KeyChanges, within?: Transactional): Promise<Result<ApiKey>>;
  rotate(
    accountId: string,
    keyId: string,
    options: { overlapSeconds: number },
    within?: Transactional,
  ): Promise<Result<KeyWithSecret>>;
  revoke(accountId: string, keyId: string, within?: Transactional): Promise<Result<ApiKey>>;
}

export interface LifecycleOptions {
  store: KeysStore;
  clock: Clock;
  peppers: Peppers;
  /** 32 unpredictable bytes. */
  random?: () => Uint8Array;
}

type Decide = Parameters<KeysStore['change']>[2];

const notFound: Failure = { kind: 'not_found', resource: 'key' };

export function createLifecycle(options: LifecycleOptions): KeyLifecycle {
  const { store, clock, peppers, random = () => randomBytes(32) } = options;

  async function create(key: NewKey, within?: Transactional): Promise<Result<KeyWithSecret>> {
    const violations = violationsOf(key, clock.now());
    if (violations.length > 0) return invalidArgument(violations);
    const id = newId('key');
    const secret = formatSecret(key.kind, id, random());
    const createTime = clock.now();
    const stored = {
      ...key,
      id,
      scopes: key.kind === 'management' ? [] : (key.scopes ?? keyScopes),
      secret: hashSecret(peppers, secret),
      lastFour: secret.slice(-4),
      createTime,
    };
    if (!(await store.insert(stored, keysMax, within)))
      return fail({ kind: 'precondition_failed', description: keysFull });
    const made = await store.find(key.accountId, id, within);
    return made ? succeed({ key: made, secret }) : fail(notFound);
  }

  async function list(accountId: string, page: PageRequest): Promise<Result<Page<ApiKey>>> {
    const start = readPageRequest('keys', page);
    if (!start.ok) return start;
    const { size, after } = start.value;
    const rows = await store.list({ accountId, limit: size + 1, ...(after !== undefined && { after }) });
    return succeed(makePage('keys', start.value, rows, (key) => key.id));
  }

  async function get(accountId: string, keyId: string): Promise<Result<ApiKey>> {
    const key = await store.find(accountId, keyId);
    return key ? succeed(key) : fail(notFound);
  }

  async function update(
    accountId: string,
    keyId: string,
    changes: KeyChanges,
    within?: Transactional,
  ): Promise<Result<ApiKey>> {
    const violations = violationsOf(changes, clock.now());
    if (violations.length > 0) return invalidArgument(violations);
    const decide: Decide = (key, _stored, others) => {
      if (key.state === 'revoked') return refuse('The key was revoked, which is for ever: create another one.');
      const [field] = key.kind === 'management' ? notOfManagement(changes) : [];
      if (field) return refuse(`A management key has no ${field}: create an API key.`);
      if (typeof changes.expireTime === 'number' && isLast(key, others)) return refuse(lastKey);
      return changes;
    };
    return change(accountId, keyId, decide, within);
  }

  async function rotate(
    accountId: string,
    keyId: string,
    { overlapSeconds }: { overlapSeconds: number },
    within?: Transactional,
  ): Promise<Result<KeyWithSecret>> {
    if (!Number.isInteger(overlapSeconds) || overlapSeconds < 0 || overlapSeconds > overlapSecondsMax)
      return invalidArgument([{ field: 'overlapSeconds', description: `must be from 0 to ${overlapSecondsMax}` }]);
    let secret = '';
    const decide: Decide = (key, stored) => {
      if (key.state !== 'active') return refuse(`The key is ${key.state}: create another one.`);
      const time = clock.now();
      secret = formatSecret(key.kind, key.id, random());
      return {
        rotation: {
          secret: hashSecret(peppers, secret),
          lastFour: secret.slice(-4),
          time,
          previous: stored,
          previousExpireTime: Math.min(time + overlapSeconds * 1000, key.expireTime ?? Number.POSITIVE_INFINITY),
        },
      };
    };
    const rotated = await change(accountId, keyId, decide, within);
    return rotated.ok ? succeed({ key: rotated.value, secret }) : rotated;
  }

  async function revoke(accountId: string, keyId: string, within?: Transactional): Promise<Result<ApiKey>> {
    const decide: Decide = (key, _stored, others) => {
      // Already done: a retry after a lost reply is not a failure.
      if (key.state === 'revoked') return undefined;
      if (isLast(key, others)) return refuse(lastKey);
      return { revokeTime: clock.now() };
    };
    return change(accountId, keyId, decide, within);
  }

  async function change(
    accountId: string,
    keyId: string,
    decide: Decide,
    within?: Transactional,
  ): Promise<Result<ApiKey>> {
    try {
      const key = await store.change(accountId, keyId, decide, within);
      return key ? succeed(key) : fail(notFound);
    } catch (error) {
      // Thrown by `refuse`, so that the transaction rolls back.
      if (error instanceof FailureError) return fail(error.failure);
      throw error;
    }
  }

  return { create, list, get, update, rotate, revoke };
}

const lastKey =
  'This is the only management key of the account that works without an end: rotate it, or create another one first.';

/** Whether the account would be left, now or later, without a management key. */
function isLast(key: ApiKey, otherManagementKeys: readonly ApiKey[]): boolean {
  if (key.kind !== 'management' || key.state !== 'active') return false;
  const left = otherManagementKeys.filter(({ state }) => state === 'active');
  // A key that expires gives no permanent access, so another expiring key may replace it.
  return key.expireTime === undefined ? left.every(({ expireTime }) => expireTime !== undefined) : left.length === 0;
}

function refuse(description: string): never {
  throw new FailureError({ kind: 'precondition_failed', description });
}

function invalidArgument(violations: FieldViolation[]) {
  return fail({ kind: 'invalid_argument', violations });
}
