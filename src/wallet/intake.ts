import { isFinishing, type Operation, type Outcome, requestOf } from './operation.ts';

/** An operation that waits for its group, and whoever waits for it. */
export interface Pending {
  operation: Operation;
  /** Bytes that it will take in a packet, about. */
  bytes: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
  /** Its caller was already told that the ledger is away. */
  abandoned: boolean;
}

export interface IntakeLimits {
  /** New holds that may wait, in all. */
  waitingMax: number;
  operationsPerGroupMax: number;
  bytesPerGroupMax: number;
}

/** Constants in one list of a group's packet; at 1,000 MariaDB plans the list as a join. */
const constantsPerListMax = 900;

/**
 * What waits for the next group. What finishes something goes first and is never refused. New holds wait in a bounded
 * queue with a turn for each wallet, so one busy wallet never keeps another waiting.
 */
export function createIntake(limits: IntakeLimits) {
  const finishing: Pending[] = [];
  const admissions = new Map<string, Pending[]>();
  let waiting = 0;

  return {
    /** False when there is no room for another hold of this wallet. There always is for one whose work is done. */
    add(pending: Pending): boolean {
      if (isFinishing(pending.operation)) {
        finishing.push(pending);
        return true;
      }
      const { walletId, type } = pending.operation;
      const queue = admissions.get(walletId);
      const full = waiting >= limits.waitingMax || (queue && queue.length >= fairShare(queue.length));
      // Fewer than half as many as may wait began ahead, so this stays bounded.
      if (full && type !== 'charge') return false;
      if (queue) queue.push(pending);
      else admissions.set(walletId, [pending]);
      waiting += 1;
      return true;
    },
    /** Puts back what is to be tried again, in front. */
    putBack(pendings: readonly Pending[]): void {
      finishing.unshift(...pendings.filter(({ operation }) => isFinishing(operation)));
      for (const pending of pendings.filter(({ operation }) => !isFinishing(operation))) {
        const queue = admissions.get(pending.operation.walletId);
        if (queue) queue.unshift(pending);
        else admissions.set(pending.operation.walletId, [pending]);
        waiting += 1;
      }
    },
    /** Takes the next group, at least one when anything waits. */
    take(): Pending[] {
      const group: Pending[] = [];
      let bytes = 0;
      let constants = 0;
      const fits = (next: Pending) =>
        group.length === 0 ||
        (group.length < limits.operationsPerGroupMax &&
          bytes + next.bytes <= limits.bytesPerGroupMax &&
          constants + constantsOf(next.operation) <= constantsPerListMax);
      const include = (next: Pending) => {
        group.push(next);
        bytes += next.bytes;
        constants += constantsOf(next.operation);
      };
      let taken = 0;
      for (const next of finishing) {
        if (!fits(next)) break;
        include(next);
        taken += 1;
      }
      finishing.splice(0, taken);
      while (admissions.size > 0) {
        const served: string[] = [];
        for (const [walletId, queue] of admissions) {
          const [next] = queue;
          if (next && !fits(next)) {
            // Whose turn it was goes to the back of the round: the next group begins with the others.
            for (const id of served) moveToBack(id);
            return group;
          }
          queue.shift();
          if (queue.length === 0) admissions.delete(walletId);
          else served.push(walletId);
          if (!next) continue;
          waiting -= 1;
          include(next);
        }
      }
      return group;
    },
    /** Takes every hold that waits, to refuse them. */
    takeAdmissions(): Pending[] {
      const all = [...admissions.values()].flat();
      admissions.clear();
      waiting = 0;
      return all;
    },
    get size(): number {
      return finishing.length + waiting;
    },
  };

  function moveToBack(walletId: string): void {
    const queue = admissions.get(walletId);
    admissions.delete(walletId);
    if (queue) admissions.set(walletId, queue);
  }

  // While there is plenty of room one wallet may take it; in the second half each has an equal part.
  function fairShare(own: number): number {
    const { waitingMax } = limits;
    if (waiting < waitingMax / 2) return Number.POSITIVE_INFINITY;
    const wallets = admissions.size + (own > 0 ? 0 : 1);
    return Math.max(1, Math.floor(waitingMax / (wallets + 1)));
  }
}

/** Of the longest list that the operation adds to: its caps, or its key, token and device. */
function constantsOf(operation: Operation): number {
  if (operation.type === 'hold' || operation.type === 'charge') {
    const { tokenId, deviceId, caps } = requestOf(operation);
    return Math.max(1 + (tokenId ? 1 : 0) + (deviceId ? 1 : 0), caps?.length ?? 0);
  }
  return 'capOwners' in operation ? Math.max(1, operation.capOwners.length) : 1;
}

export type Intake = ReturnType<typeof createIntake>;
