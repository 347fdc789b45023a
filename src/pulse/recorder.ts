import { LRUCache } from 'lru-cache';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { type Database, isConnectionLost } from '../db/index.ts';
import { bytesToday, type DailyBytes } from './daily-bytes.ts';
import { Names } from './names.ts';
import { addNames, ensureAccount, lockAccount, readNames } from './pulse-store.ts';
import type { Settings } from './settings.ts';
import { readSettings } from './settings-store.ts';
import { namedTraits, traitSegments } from './traits.ts';
import { type Batch, type SegmentedBatch, type Written, writeGroup } from './write-group.ts';

/**
 * Writes batches of events in groups: each account has one transaction in progress, and batches that arrive meanwhile are
 * written together by the next one. There is no timer: an idle account's batch is written at once.
 */
export interface Recorder {
  /**
   * Reserves room for an account's events, if there is any, and returns a function that releases it. A batch with a
   * reservation is never refused for lack of room. One account can't take all the room.
   */
  reserve(accountId: string, events: number): (() => void) | undefined;
  /** Whether this node knows that the account's events may not carry this many more bytes today. */
  isOverDay(accountId: string, bytes: number): boolean;
  /** Stores a batch, or returns `tooManyBytes`. Rejects if the database refuses it, or if it is unknown whether it was stored. */
  write(accountId: string, batch: Batch): Promise<Written>;
  /** Resolves when nothing is in progress. */
  idle(): Promise<void>;
}

/** Events that may be waiting or being written at one time, in total and per account. */
const waitingMax = 100_000;
const waitingOfAccountMax = 50_000;
// Of eight senders' batches, half are written while the others are settled and the next ones checked: by bench:pulse, three runs
// alternating, 8 to 12 % more events a second than eight in a group, for the same processor time; two take a quarter more of it.
const groupBatchesMax = 4;
/** Accounts written concurrently; each takes a connection. */
const accountsAtOnceMax = 4;
const namesKeptMax = 500_000;

interface Waiting {
  batch: Batch;
  resolve(written: Written): void;
  reject(error: unknown): void;
}

interface Account {
  no: number;
  names: Names | undefined;
  settings: Settings | undefined;
  carried: DailyBytes;
}

export function createRecorder(deps: { db: Database; clock: Clock; log: Logger; bytesPerDayMax: number }): Recorder {
  const { db, clock, log, bytesPerDayMax } = deps;
  const lanes = new Map<string, Waiting[]>();
  const turns: string[] = [];
  const accounts = new LRUCache<string, Account>({
    maxSize: namesKeptMax,
    sizeCalculation: ({ names }) => 1 + (names?.size ?? 0),
  });
  const idlers: (() => void)[] = [];
  const reserved = new Map<string, number>();
  let reservedInAll = 0;
  let running = 0;

  function reserve(accountId: string, events: number): (() => void) | undefined {
    const own = reserved.get(accountId) ?? 0;
    if (own + events > waitingOfAccountMax || reservedInAll + events > waitingMax) return undefined;
    reserved.set(accountId, own + events);
    reservedInAll += events;
    return () => {
      reservedInAll -= events;
      const left = (reserved.get(accountId) ?? 0) - events;
      if (left > 0) reserved.set(accountId, left);
      else reserved.delete(accountId);
    };
  }

  function isOverDay(accountId: string, bytes: number): boolean {
    const known = accounts.get(accountId)?.carried;
    return known !== undefined && bytes > bytesPerDayMax - bytesToday(known, clock.now()).bytes;
  }

  function write(accountId: string, batch: Batch): Promise<Written> {
    return new Promise((resolve, reject) => {
      const lane = lanes.get(accountId);
      if (lane) lane.push({ batch, resolve, reject });
      else {
        lanes.set(accountId, [{ batch, resolve, reject }]);
        turns.push(accountId);
        advance();
      }
    });
  }

  // An account with work is either in `turns` or being written, and always has a lane.
  function advance(): void {
    while (running < accountsAtOnceMax) {
      const accountId = turns.shift();
      if (accountId === undefined) break;
      running++;
      const group = lanes.get(accountId)?.splice(0, groupBatchesMax) ?? [];
      void finish(accountId, group);
    }
    if (running === 0) for (const tell of idlers.splice(0)) tell();
  }

  async function finish(accountId: string, group: Waiting[]): Promise<void> {
    try {
      await writeTogether(accountId, group);
    } finally {
      running--;
      if ((lanes.get(accountId)?.length ?? 0) > 0) turns.push(accountId);
      else lanes.delete(accountId);
      advance();
    }
  }

  /** Writes a group. If the database refuses it, its batches are written one by one, so that only the culprit fails. */
  async function writeTogether(accountId: string, group: Waiting[]): Promise<void> {
    let written: Written[];
    try {
      written = await transact(
        accountId,
        group.map(({ batch }) => batch),
      );
    } catch (error) {
      accounts.delete(accountId);
      if (group.length === 1 || isConnectionLost(error)) {
        for (const waiting of group) waiting.reject(error);
        return;
      }
      log.warn({ err: error, batches: group.length }, 'a group of event batches failed; each is written by itself');
      for (const waiting of group) await writeTogether(accountId, [waiting]);
      return;
    }
    for (const [place, waiting] of group.entries()) {
      const own = written[place];
      if (own) waiting.resolve(own);
      else waiting.reject(new Error('a group was written without one of its batches'));
    }
  }

  async function transact(accountId: string, batches: Batch[]): Promise<Written[]> {
    const { no, ...known } = accounts.get(accountId) ?? { no: await ensureAccount(db, accountId) };
    let kept: Partial<Account> = known;
    return db.transaction(async (tx) => {
      const locked = await lockAccount(tx, no);
      // Names are numbered under the lock. A copy that lacks some may lack what another node has already numbered, and a
      // transaction that is retried must not trust what its first attempt added: both read the names afresh.
      let { names, settings } = kept;
      kept = {};
      if (settings?.version !== locked.settingsVersion) settings = await readSettings(tx, no);
      let segmented = names && segmentsOf(batches, names, settings);
      if (!names || !segmented) {
        names = new Names(await readNames(tx, no));
        await addNames(tx, no, names.addMissing(namedOf(batches, settings)));
        segmented = segmentsOf(batches, names, settings);
      }
      if (!segmented) throw new Error('names were added, and some are still missing');
      const nowMs = clock.now();
      const complete = { no, names, settings, carried: { ...bytesToday(locked.carried, nowMs) } };
      tx.afterCommit(() => void accounts.set(accountId, complete));
      return writeGroup(tx, { ...complete, bytesPerDayMax }, segmented, nowMs);
    });
  }

  return {
    reserve,
    isOverDay,
    write,
    idle: () => new Promise((resolve) => (running === 0 ? resolve() : idlers.push(resolve))),
  };
}

/** Batches with the segments of each event; undefined if some name has yet to get its number. */
function segmentsOf(batches: readonly Batch[], names: Names, { properties }: Settings): SegmentedBatch[] | undefined {
  const segmented: SegmentedBatch[] = [];
  for (const batch of batches) {
    const segments: number[][] = [];
    for (const event of batch.events) {
      const own = names.knows(event) ? traitSegments(properties, event.properties, names) : undefined;
      if (!own) return undefined;
      segments.push(own);
    }
    segmented.push({ ...batch, segments });
  }
  return segmented;
}

/** The names in these events. */
function* namedOf(batches: readonly Batch[], { properties }: Settings) {
  for (const { events } of batches)
    for (const { journey, step, errorCode, properties: given } of events) {
      const traits = namedTraits(properties, given);
      yield errorCode === undefined ? { journey, step, traits } : { journey, step, errorCode, traits };
    }
}
