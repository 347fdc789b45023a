import { fail } from '../../base/failure.ts';
import { decide } from './decide/decide.ts';
import type { GroupState } from './decide/group-state.ts';
import { type HoldOperation, isFinishing, type Outcome, type ReleaseOperation } from './operation.ts';
import type { Pending } from './queue.ts';

/** An operation that could not be decided; the group runs again without it. */
export class CulpritError extends Error {
  readonly pending: Pending;

  constructor(pending: Pending, cause: unknown) {
    super('An operation could not be decided.', { cause });
    this.pending = pending;
  }
}

/** Operations to commit as one group, and what is known about them. */
export interface Attempt {
  pendings: Pending[];
  /** How often this exact set has failed, by kind. */
  failures: { connection: number; contention: number; statement: number };
  /** Another session has one of their wallets locked: find out which, and leave it out. */
  skipLocked: boolean;
}

/** When to ask again, for callers who were refused. */
export const retryAfterMs = 1_000;

export function attemptOf(pendings: Pending[], skipLocked: boolean): Attempt {
  return { pendings, failures: { connection: 0, contention: 0, statement: 0 }, skipLocked };
}

/** Splits operations into two groups, keeping those of one unit together. */
export function halves(units: readonly Pending[][], skipLocked: boolean): Attempt[] {
  const middle = Math.ceil(units.length / 2);
  return [units.slice(0, middle), units.slice(middle)].map((half) => attemptOf(half.flat(), skipLocked));
}

export function rejectAll(pendings: readonly Pending[]): void {
  for (const pending of pendings) pending.reject(new Error('The ledger is closed.'));
}

export function byWallet(pendings: readonly Pending[]): Pending[][] {
  return [...Map.groupBy(pendings, ({ operation }) => operation.walletId).values()];
}

export function markAgain(pendings: readonly Pending[]): void {
  for (const { operation } of pendings)
    if (operation.type === 'hold' || operation.type === 'charge') operation.again = true;
}

/** Releases a hold, if it was granted. */
function takeBack({ walletId, chargeId, request: { caps = [], idempotency } }: HoldOperation): ReleaseOperation {
  const capOwners = caps.map(({ owner }) => owner);
  return { type: 'release', walletId, chargeId, capOwners, idempotency, mayBeAbsent: true };
}

export function decideAll(pendings: readonly Pending[], state: GroupState): Outcome[] {
  return pendings.map((pending) => {
    try {
      return decide(pending.operation, state);
    } catch (error) {
      throw new CulpritError(pending, error);
    }
  });
}

/** Refuses what may be refused; returns what still has to be done: the rest, and what must be looked up or taken back. */
export function refuseWhatCan(pendings: readonly Pending[]): Pending[] {
  const waiting: Pending[] = [];
  for (const pending of pendings) {
    const { operation } = pending;
    if (isFinishing(operation) || (operation.type === 'charge' && operation.again)) waiting.push(pending);
    else refuse(pending);
    // Its caller was told that nothing is held, so nothing may stay held.
    if (operation.type === 'hold' && operation.again) waiting.push({ ...pending, operation: takeBack(operation) });
  }
  return waiting;
}

export function refuse({ operation, resolve }: Pending): void {
  resolve(operation.type === 'progress' ? undefined : fail({ kind: 'ledger_unavailable', retryAfterMs }));
}
