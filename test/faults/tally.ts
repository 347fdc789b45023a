import type { Answer, Task } from './protocol.ts';

/** What clients were told, and what was wrong with it. */
export interface Tally {
  /** By key: the reply that its client received. */
  delivered: Map<string, { chargeId: string; charged: bigint }>;
  /** By key: requests with an idempotency key that ended in a refusal. */
  refusedTasks: Map<string, Task>;
  /** By key: top-ups that clients were told of. */
  topUps: Map<string, string>;
  /** Requests without an idempotency key whose outcome nobody was told: their node died, or was silent. */
  unknownKeys: Set<string>;
  counts: {
    replayed: number;
    /** Delivered with a deferred hold. */
    deferred: number;
    released: number;
    /** Withheld replies, by the state of their charge. */
    undelivered: Record<string, number>;
    refused: Record<string, number>;
    /** Attempts after which the client retried, by reason. */
    retries: Record<string, number>;
    /** Answers that nobody was waiting for any more. */
    lateAnswers: number;
    nodeKills: number;
    databaseKills: number;
    freezes: number;
  };
  /** Each listed once, however often a client met it. */
  problems: Set<string>;
}

export function newTally(): Tally {
  return {
    delivered: new Map(),
    refusedTasks: new Map(),
    topUps: new Map(),
    unknownKeys: new Set(),
    counts: {
      replayed: 0,
      deferred: 0,
      released: 0,
      undelivered: {},
      refused: {},
      retries: {},
      lateAnswers: 0,
      nodeKills: 0,
      databaseKills: 0,
      freezes: 0,
    },
    problems: new Set(),
  };
}

/** Records an answer; returns whether it ends the request. */
export function record(task: Task, answer: Answer, tally: Tally): boolean {
  const { counts, problems } = tally;
  switch (answer.kind) {
    case 'delivered':
      recordDelivery(task, answer, tally);
      return true;
    case 'undelivered':
      recordKeptBack(task, answer, tally);
      if (answer.state === 'superseded' && !task.deferred) return false;
      return refuse(task, `unpaid: ${answer.state}`, tally);
    case 'released':
      counts.released += 1;
      return true;
    case 'topped_up': {
      const before = tally.topUps.get(task.key);
      if (before !== undefined && before !== answer.topUpId)
        problems.add(`${task.key} was told of two top-ups: ${before} and ${answer.topUpId}`);
      tally.topUps.set(task.key, answer.topUpId);
      return true;
    }
    case 'failed': {
      const { failure } = answer;
      if (failure.startsWith('error') && !/connect|closed|lost|ECONN|EPIPE|ENOENT|shutdown/i.test(failure))
        problems.add(`${task.key}: ${failure}`);
      return failure === 'insufficient_credit' && refuse(task, failure, tally);
    }
  }
}

function recordDelivery(
  { key, deferred }: Task,
  { chargeId, charged, due, replayed, deferred: wasDeferred }: Extract<Answer, { kind: 'delivered' }>,
  { delivered, counts, problems }: Tally,
): void {
  const before = delivered.get(key);
  if (before && before.chargeId !== chargeId)
    problems.add(`${key} was delivered twice: for ${before.chargeId} and for ${chargeId}`);
  if (charged !== due) problems.add(`${key} was delivered for ${charged} of ${due}`);
  if (replayed && deferred) problems.add(`${key} has no idempotency key and was replayed`);
  delivered.set(key, { chargeId, charged: BigInt(charged) });
  if (replayed) counts.replayed += 1;
  if (wasDeferred) counts.deferred += 1;
}

function recordKeptBack(
  { key }: Task,
  { state, charged, due }: Extract<Answer, { kind: 'undelivered' }>,
  { counts, problems }: Tally,
): void {
  add(counts.undelivered, state);
  if (charged !== '0') problems.add(`${key}: ${state}, charged ${charged} of ${due}, and not delivered`);
}

/** Records an answer that came after its client had left: what left the node may have reached it nevertheless. */
export function recordLate(task: Task, answer: Answer, tally: Tally): void {
  tally.counts.lateAnswers += 1;
  if (answer.kind === 'delivered') tally.unknownKeys.delete(task.key);
  if (answer.kind === 'delivered' || answer.kind === 'topped_up') record(task, answer, tally);
  if (answer.kind === 'undelivered') recordKeptBack(task, answer, tally);
}

export function refuse(task: Task, why: string, tally: Tally): true {
  add(tally.counts.refused, why);
  if (!task.deferred) tally.refusedTasks.set(task.key, task);
  return true;
}

export function add(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}
