import { createPace, type Pace } from '../../base/turn.ts';

/** A match in a text; offsets in UTF-16 units. */
export interface Found {
  category: string;
  severity: string;
  start: number;
  end: number;
}

/** How much of a text is scanned together, in UTF-16 units. */
export interface Window {
  /** How much is decided at a time. */
  step: number;
  /** Lookahead that is scanned along with it: longer than anything searched for. */
  ahead: number;
  /** Lookbehind that is scanned along with it. */
  behind: number;
}

/** Scans a text as it arrives. Never holds back more than `step + ahead` units. */
export interface Scanner {
  /** Takes more of the text; returns what may be sent, with findings masked. */
  push(more: string): Promise<string>;
  /** The rest. */
  end(): Promise<string>;
  /** The matches so far. */
  readonly found: readonly Found[];
}

/** Replaces a match. */
export const mask = '[…]';
/** The cost of starting a scan, however short the text, in scan units. */
export const unitsOfALook = 100;
/** About 10 ms of CPU time. */
const unitsOfATurn = 3_000;
const foundMax = 10_000;

/** For texts that are scanned together. */
export function createScannerPace(): Pace {
  return createPace(unitsOfATurn);
}

/**
 * Cuts a text into steps at positions that depend only on the text, and scans each one with its surroundings. So a text that
 * arrives in pieces is judged exactly like the same text in one piece, however it is split.
 */
export function createScanner(
  find: (text: string) => readonly Found[],
  window: Window,
  pace: Pace = createScannerPace(),
): Scanner {
  const found: Found[] = [];
  /** The text from `base` on. */
  let kept = '';
  let base = 0;
  /** Everything before this has been decided. */
  let from = 0;
  /** Everything up to here is masked; -1: nothing yet. */
  let hiddenTo = -1;

  async function decide(to: number): Promise<string> {
    const start = Math.max(base, from - window.behind);
    const looked = kept.slice(start - base, Math.min(base + kept.length, to + window.ahead) - base);
    await pace(looked.length + unitsOfALook);
    let left = '';
    let at = Math.max(from, Math.min(hiddenTo, to));
    for (const one of placed(find(looked), start)) {
      if (one.end <= Math.max(from, hiddenTo) || one.start >= to) continue;
      if (found.length < foundMax) found.push(one);
      const begin = Math.max(one.start, from);
      if (begin > hiddenTo) left += kept.slice(at - base, begin - base) + mask;
      hiddenTo = one.end;
      at = Math.min(one.end, to);
    }
    left += kept.slice(at - base, to - base);
    from = to;
    const unneeded = from - window.behind - base;
    if (unneeded > 0) {
      kept = kept.slice(unneeded);
      base += unneeded;
    }
    return left;
  }

  /** The end of the next step; never between the two halves of a surrogate pair. */
  function stepEnd(): number {
    const to = Math.min(from + window.step, base + kept.length);
    return isHighSurrogate(kept.charCodeAt(to - 1 - base)) ? Math.min(to + 1, base + kept.length) : to;
  }

  return {
    found,
    async push(more) {
      kept += more;
      let left = '';
      while (base + kept.length > from + window.step + window.ahead) left += await decide(stepEnd());
      return left;
    },
    async end() {
      let left = '';
      while (from < base + kept.length) left += await decide(stepEnd());
      return left;
    },
  };
}

function placed(found: readonly Found[], offset: number): Found[] {
  return found
    .map((one) => ({ ...one, start: one.start + offset, end: one.end + offset }))
    .sort((a, b) => a.start - b.start || b.end - a.end);
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
