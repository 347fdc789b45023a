import { isFinishing, type Operation, type Outcome, requestOf } from './operation.ts';

/** An operation waiting for its group, and the caller waiting for it. */
export interface Pending {
  operation: Operation;
  /** Roughly how many bytes it will take in a packet. */
  bytes: number;
  resolve: (outcome: Outcome) => void;
  reject: (error: unknown) => void;
}

export interface QueueLimits {
  /** How many new holds may wait in total. */
  waitingMax: number;
  operationsPerGroupMax: number;
  bytesPerGroupMax: number;
}

/** The most constants in one list of a group's packet; from 1,000 on, MariaDB plans the list as a join. */
const constantsPerListMax = 900;

/** From this size a settlement takes the database longer than many others: it carries a long reply, which is kept for retries. */
const largeBytes = 65_536;
/** What a group of them may have, unless a single one has more: some 20 ms. */
const largeBytesPerGroup = 1_024 * 1_024;

/**
 * Operations waiting for the next group. Finishing operations go first and are never refused. New holds wait in a bounded queue
 * with a turn per wallet, so one busy wallet never delays another. Settlements with long replies have groups of their own, at most
 * every other one while anything else waits: whoever has many such replies stored delays others by one group. A wallet's operations
 * that are set aside wait separately, along with any new ones, until the wallet is taken up again.
 */
export class OperationQueue {
  readonly #limits: QueueLimits;
  #finishing: Pending[] = [];
  #large: Pending[] = [];
  #tookLarge = false;
  readonly #admissions = new Map<string, Pending[]>();
  readonly #aside = new Map<string, Pending[]>();
  /** Admissions, including those set aside. */
  #waiting = 0;
  #asideSize = 0;

  constructor(limits: QueueLimits) {
    this.#limits = limits;
  }

  /** How many operations a group could take now. */
  get ready(): number {
    return this.size - this.#asideSize;
  }

  /** How many operations wait. */
  get size(): number {
    let size = this.#finishing.length + this.#large.length + this.#waiting;
    for (const aside of this.#aside.values()) for (const pending of aside) if (!isAdmission(pending)) size += 1;
    return size;
  }

  /** False if there is no room for another hold of this wallet. There is always room for a hold whose work is done. */
  add(pending: Pending): boolean {
    const { walletId, type } = pending.operation;
    const aside = this.#aside.get(walletId);
    if (!isFinishing(pending.operation)) {
      const own = (aside?.filter(isAdmission) ?? this.#admissions.get(walletId))?.length ?? 0;
      const full = this.#waiting >= this.#limits.waitingMax || own >= this.#fairShare(own);
      // Charges of deferred holds number less than half of `waitingMax`, so this stays bounded.
      if (full && type !== 'charge') return false;
      this.#waiting += 1;
    }
    if (aside) {
      aside.push(pending);
      this.#asideSize += 1;
    } else this.#enqueue(pending);
    return true;
  }

  #enqueue(pending: Pending): void {
    const { walletId } = pending.operation;
    if (isFinishing(pending.operation)) (pending.bytes < largeBytes ? this.#finishing : this.#large).push(pending);
    else if (!this.#admissions.get(walletId)?.push(pending)) this.#admissions.set(walletId, [pending]);
  }

  /** Sets aside a wallet's operations that were already taken, and all that arrive for it from now on. */
  setAside(walletId: string, pendings: readonly Pending[]): void {
    const isOwn = ({ operation }: Pending) => operation.walletId === walletId;
    const [finishing, others] = split(this.#finishing, isOwn);
    this.#finishing = others;
    const [large, othersLarge] = split(this.#large, isOwn);
    this.#large = othersLarge;
    const admissions = this.#admissions.get(walletId) ?? [];
    this.#admissions.delete(walletId);
    const own = [...pendings, ...finishing, ...large, ...admissions];
    this.#aside.set(walletId, [...(this.#aside.get(walletId) ?? []), ...own]);
    this.#waiting += pendings.filter(isAdmission).length;
    this.#asideSize += own.length;
  }

  /** Lets a wallet's operations join the next group; false if there are none. */
  takeUp(walletId: string): boolean {
    const aside = this.#aside.get(walletId) ?? [];
    this.#aside.delete(walletId);
    this.#asideSize -= aside.length;
    for (const pending of aside) this.#enqueue(pending);
    return aside.length > 0;
  }

  /** Empties the queue. */
  takeAll(): Pending[] {
    for (const walletId of [...this.#aside.keys()]) this.takeUp(walletId);
    return [...this.#finishing.splice(0), ...this.#large.splice(0), ...this.takeAdmissions()];
  }

  /** Takes the next group: at least one operation if any is ready. */
  take(): Pending[] {
    const others = this.#finishing.length + this.#admissions.size > 0;
    this.#tookLarge = this.#large.length > 0 && !(others && this.#tookLarge);
    return this.#tookLarge ? this.#takeLarge() : this.#takeOthers();
  }

  #takeLarge(): Pending[] {
    let bytes = 0;
    const over = this.#large.findIndex((next, at) => {
      bytes += next.bytes;
      return at > 0 && bytes > largeBytesPerGroup;
    });
    return this.#large.splice(0, over < 0 ? this.#large.length : over);
  }

  #takeOthers(): Pending[] {
    const { operationsPerGroupMax, bytesPerGroupMax } = this.#limits;
    const group: Pending[] = [];
    let bytes = 0;
    let constants = 0;
    const fits = (next: Pending) =>
      group.length === 0 ||
      (group.length < operationsPerGroupMax &&
        bytes + next.bytes <= bytesPerGroupMax &&
        constants + constantsOf(next.operation) <= constantsPerListMax);
    const include = (next: Pending) => {
      group.push(next);
      bytes += next.bytes;
      constants += constantsOf(next.operation);
    };
    let taken = 0;
    for (const next of this.#finishing) {
      if (!fits(next)) break;
      include(next);
      taken += 1;
    }
    this.#finishing.splice(0, taken);
    while (this.#admissions.size > 0) {
      const served: string[] = [];
      for (const [walletId, queue] of this.#admissions) {
        const [next] = queue;
        if (next && !fits(next)) {
          // Wallets that had their turn go to the back of the round: the next group begins with the others.
          for (const id of served) this.#moveToBack(id);
          return group;
        }
        queue.shift();
        if (queue.length === 0) this.#admissions.delete(walletId);
        else served.push(walletId);
        if (!next) continue;
        this.#waiting -= 1;
        include(next);
      }
    }
    return group;
  }

  /** Takes all waiting admissions in order to refuse them, or those of one wallet that is set aside. */
  takeAdmissions(asideWalletId?: string): Pending[] {
    const all = asideWalletId === undefined ? [...this.#admissions.values()].flat() : [];
    if (asideWalletId === undefined) this.#admissions.clear();
    for (const walletId of asideWalletId === undefined ? [...this.#aside.keys()] : [asideWalletId]) {
      const aside = this.#aside.get(walletId) ?? [];
      const [go, stay] = split(aside, isAdmission);
      this.#aside.set(walletId, stay);
      this.#asideSize -= go.length;
      all.push(...go);
    }
    this.#waiting -= all.length;
    return all;
  }

  #moveToBack(walletId: string): void {
    const queue = this.#admissions.get(walletId);
    this.#admissions.delete(walletId);
    if (queue) this.#admissions.set(walletId, queue);
  }

  // While there is plenty of room, one wallet may take it; in the second half each has an equal share.
  #fairShare(own: number): number {
    const { waitingMax } = this.#limits;
    if (this.#waiting < waitingMax / 2) return Number.POSITIVE_INFINITY;
    const wallets = this.#admissions.size + this.#aside.size + (own > 0 ? 0 : 1);
    return Math.max(1, Math.floor(waitingMax / (wallets + 1)));
  }
}

function isAdmission({ operation }: Pending): boolean {
  return !isFinishing(operation);
}

/** Splits items into those that fit and those that don't. */
export function split<T>(all: readonly T[], fits: (one: T) => boolean): [T[], T[]] {
  return [all.filter(fits), all.filter((one) => !fits(one))];
}

/** How many constants the operation adds to its longest list: its caps, or its key, token and device. */
function constantsOf(operation: Operation): number {
  if (operation.type === 'hold' || operation.type === 'charge') {
    const { tokenId, deviceId, caps } = requestOf(operation);
    return Math.max(1 + (tokenId ? 1 : 0) + (deviceId ? 1 : 0), caps?.length ?? 0);
  }
  return 'capOwners' in operation ? Math.max(1, operation.capOwners.length) : 1;
}
