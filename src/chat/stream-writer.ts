import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Seal } from '../base/seal.ts';
import type { Database } from '../db/index.ts';
import { addPart, beatStream, dropStream, insertStream, type StreamPlace } from './kept-streams-store.ts';
import { storeEvents } from './stored-events.ts';
import type { StreamEntry, StreamLog } from './stream-log.ts';

export interface StreamWriterOptions {
  db: Database;
  seal: Seal;
  log: Logger;
  keptMs: number;
  /** Heartbeat interval for a reply that is still being generated but has nothing new. */
  beatMs: number;
  /** When aborted, what exists is stored, and nothing after that. */
  closing: AbortSignal;
  /** Whether more of an account's replies may be kept. */
  fits(accountId: string): Promise<boolean>;
  /** Called with the number of bytes stored. */
  grown(bytes: number): void;
}

/** Events that arrive within this time are stored together. */
const collectMs = 100;
/** Text beyond this goes into the next part. */
const partCharactersMax = 256 * 1_024;
/** How much is stored before checking for room again. */
const bytesBetweenChecks = 64 * 1_024;
const attemptsMax = 30;
const attemptPauseMs = 1_000;

/**
 * Stores a reply as it is generated, in parts, until its end is stored. Never rejects: a reply that cannot be stored, or gets
 * too long, continues unstored. `tried` is called once the database has the reply, or has failed to take it for the first time.
 */
export function createStreamWriter(
  options: StreamWriterOptions,
): (place: StreamPlace, events: StreamLog, tried: () => void) => Promise<void> {
  const { db, seal, log, closing, beatMs, fits, grown } = options;
  const keptUs = BigInt(options.keptMs) * 1_000n;

  async function write(place: StreamPlace, events: StreamLog, tried: () => void): Promise<void> {
    await persist(() => insertStream(db, place, keptUs).finally(tried));
    let unchecked = 0;
    for (let written = 0; !(events.isOver && written >= events.length); ) {
      if (events.length === written) await moreOrBeat(place, events, written);
      if (!events.isOver) await waited(collectMs);
      const batch = fitting(events.after(written));
      if (batch.length > 0) {
        const bytes = await add(place, events, { written, batch });
        if (bytes === undefined) return;
        written += batch.length;
        unchecked += bytes;
      } else if (closing.aborted) return;
      if (unchecked < bytesBetweenChecks) continue;
      unchecked = 0;
      if (!(await persist(() => fits(place.accountId)))) return persist(() => dropStream(db, place));
    }
  }

  async function add(
    place: StreamPlace,
    events: StreamLog,
    { written, batch }: { written: number; batch: readonly StreamEntry[] },
  ): Promise<number | undefined> {
    const firstSequence = written + 1;
    const lastSequence = written + batch.length;
    const sealed = Buffer.from(seal.seal(storeEvents(batch), contextOf(place, firstSequence)));
    const ended = events.isOver && lastSequence === events.length;
    const part = { firstSequence, lastSequence, sealed };
    const bytes = await persist(() => addPart(db, place, { part, ended, keptUs }));
    if (bytes !== undefined) grown(bytes);
    return bytes;
  }

  async function moreOrBeat(place: StreamPlace, events: StreamLog, written: number): Promise<void> {
    const beat = AbortSignal.any([AbortSignal.timeout(beatMs), closing]);
    const isMore = await events.moreThan(written, beat).then(
      () => true,
      () => false,
    );
    if (!isMore && !closing.aborted) await persist(() => beatStream(db, place, keptUs));
  }

  /** Waits, at most until the service closes. */
  const waited = (ms: number) => sleep(ms, undefined, { signal: closing, ref: false }).catch(() => undefined);

  /** Retries, so that a brief database outage loses nothing. */
  async function persist<T>(work: () => Promise<T>): Promise<T> {
    for (let attempt = 1; ; attempt++)
      try {
        return await work();
      } catch (error) {
        if (attempt >= attemptsMax || closing.aborted) throw error;
        await waited(attemptPauseMs);
      }
  }

  return async (place, events, tried) => {
    try {
      await write(place, events, tried);
    } catch (error) {
      log.warn({ err: error, chargeId: place.chargeId }, 'a resumable reply could not be stored');
    }
    // Local readers can still read on to the end.
    while (!events.isOver && !closing.aborted) await events.moreThan(events.length, closing).catch(() => undefined);
  };
}

/** The context that an encrypted part is bound to. */
export function contextOf({ chargeId, accountId, scopeDigest }: StreamPlace, firstSequence: number): string {
  return `chat-stream:${accountId}:${scopeDigest.toString('hex')}:${chargeId}:${firstSequence}`;
}

function fitting(entries: readonly StreamEntry[]): readonly StreamEntry[] {
  let characters = 0;
  const end = entries.findIndex((entry) => {
    characters += charactersOf(entry);
    return characters > partCharactersMax;
  });
  return end < 0 ? entries : entries.slice(0, Math.max(end, 1));
}

function charactersOf(entry: StreamEntry): number {
  if (entry.kind === 'reasoning') return entry.summary.length;
  if (entry.kind === 'state') return entry.providerState.length;
  if (entry.kind !== 'delta') return 0;
  return (
    entry.content?.length ?? (entry.toolCall?.arguments.length ?? 0) + (entry.toolCall?.providerState?.length ?? 0)
  );
}
