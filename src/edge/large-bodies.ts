import { fail, type Result, succeed } from '../base/failure.ts';
import { OwnedBytes, type Owner } from './owned-bytes.ts';

/** The long messages being received or not yet answered. */
export interface LargeBodies {
  /** Starts tracking a message that turns out to be long. `cutOff`: ends its call when its room is needed more by another message. */
  begin(owner: Owner, cutOff: () => void): LargeBody;
}

export interface LargeBody {
  /** Called with each piece before it is kept; fails when there is no room for it, or after it has left or was cut off. */
  take(bytes: number): Result<void>;
  /** The whole message has arrived: its room can no longer be taken. */
  arrived(): void;
  leave(): void;
}

export interface LargeBodiesOptions {
  /** Per account, of which an end user has a share, and in total. */
  eachBytes: number;
  allBytes: number;
  now?: () => number;
}

/** This much of each message is not counted; most are no longer. */
export const smallBytes = 1_024 * 1_024;

const mebibyte = 1_024 * 1_024;
/**
 * Limiting places alone would let one account hold 64 messages of 20 MiB. While being read, a message is in memory as bytes, as
 * text and as parsed data, so together they take about three times as much of the 2 GB that a node has in deploy/.
 */
export const largeBodiesDefault: LargeBodiesOptions = { eachBytes: 96 * mebibyte, allBytes: 320 * mebibyte };

const retryAfterMs = 1_000;
const gone = fail({ kind: 'cancelled' });
/** The longest message takes 40 s at this rate. A slower one gives way to anyone, but not before the grace period. */
const leastBytesPerSecond = mebibyte / 2;
const graceMs = 5_000;

interface Body {
  owner: Owner;
  bytes: number;
  beganAt: number;
  hasLeft: boolean;
  cutOff(): void;
}

/**
 * When there is not room for all, messages still arriving give way, slowest first: to anyone if slower than the minimum rate,
 * otherwise only to an account that uses less room. So a few accounts cannot lock out the others, whether by sending slowly or by
 * sending a lot.
 */
export function createLargeBodies(options: LargeBodiesOptions = largeBodiesDefault): LargeBodies {
  const { eachBytes, allBytes, now = () => performance.now() } = options;
  const owned = new OwnedBytes();
  const arriving = new Set<Body>();
  let all = 0;
  const tooMuch = fail({
    kind: 'rate_limited',
    limit: `${eachBytes / mebibyte} MiB in long messages at one time`,
    retryAfterMs,
  });

  function count(body: Body, bytes: number): void {
    owned.add(body.owner, bytes);
    body.bytes += bytes;
    all += bytes;
  }

  function leave(body: Body): void {
    body.hasLeft = true;
    arriving.delete(body);
    count(body, -body.bytes);
  }

  /** Takes the missing room from others; takes none if it would not be enough. */
  function makeRoom(taker: Body, bytes: number): boolean {
    const time = now();
    const own = owned.of(taker.owner.account) + bytes;
    const bytesPerSecond = (body: Body) => (1_000 * body.bytes) / Math.max(1, time - body.beganAt);
    const left = new Map<string, number>();
    const chosen: Body[] = [];
    let missing = all + bytes - allBytes;
    for (const body of [...arriving].sort((a, b) => bytesPerSecond(a) - bytesPerSecond(b))) {
      if (missing <= 0) break;
      if (body === taker) continue;
      const { account } = body.owner;
      const ofOwner = left.get(account) ?? owned.of(account);
      const isSlow = time - body.beganAt > graceMs && bytesPerSecond(body) < leastBytesPerSecond;
      if (!isSlow && ofOwner <= own) continue;
      left.set(account, ofOwner - body.bytes);
      missing -= body.bytes;
      chosen.push(body);
    }
    if (missing > 0) return false;
    for (const body of chosen) {
      leave(body);
      body.cutOff();
    }
    return true;
  }

  return {
    begin(owner, cutOff) {
      const body: Body = { owner, bytes: 0, beganAt: now(), hasLeft: false, cutOff };
      arriving.add(body);
      return {
        take(bytes) {
          if (body.hasLeft) return gone;
          if (!owned.hasRoom(owner, bytes, eachBytes)) return tooMuch;
          if (all + bytes > allBytes && !makeRoom(body, bytes)) return fail({ kind: 'overloaded', retryAfterMs });
          count(body, bytes);
          return succeed(undefined);
        },
        arrived: () => void arriving.delete(body),
        leave: () => leave(body),
      };
    },
  };
}
