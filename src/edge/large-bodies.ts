import { fail, type Result, succeed } from '../base/failure.ts';

/** What is received and not answered yet of messages that are long. */
export interface LargeBodies {
  /** Room for so many more bytes of an owner's; fails when there is none. */
  take(owner: string, bytes: number): Result<void>;
  leave(owner: string, bytes: number): void;
}

export interface LargeBodiesLimits {
  /** Of one account, and of all. */
  eachBytes: number;
  allBytes: number;
}

/** So much of each message is not counted: most have no more. */
export const smallBytes = 1_024 * 1_024;

const mebibyte = 1_024 * 1_024;
/**
 * Places alone would let one account hold 64 messages of 20 MiB. While one is read it is there as bytes, as text and as
 * what the text says, so that all of them take about three times as much of the 2 GB that a node has in deploy/.
 */
export const largeBodiesDefault: LargeBodiesLimits = { eachBytes: 96 * mebibyte, allBytes: 320 * mebibyte };

const retryAfterMs = 1_000;

export function createLargeBodies({ eachBytes, allBytes }: LargeBodiesLimits = largeBodiesDefault): LargeBodies {
  const owners = new Map<string, number>();
  let all = 0;
  const tooMuch = fail({
    kind: 'rate_limited',
    limit: `${eachBytes / mebibyte} MiB in long messages at one time`,
    retryAfterMs,
  });
  return {
    take(owner, bytes) {
      const own = owners.get(owner) ?? 0;
      if (own + bytes > eachBytes) return tooMuch;
      if (all + bytes > allBytes) return fail({ kind: 'overloaded', retryAfterMs });
      owners.set(owner, own + bytes);
      all += bytes;
      return succeed(undefined);
    },
    leave(owner, bytes) {
      const own = (owners.get(owner) ?? 0) - bytes;
      if (own > 0) owners.set(owner, own);
      else owners.delete(owner);
      all -= bytes;
    },
  };
}
