import { createPace, type Pace } from '../../base/turn.ts';
import { createRuns, mask } from './runs.ts';

export { mask };

/** A match in a text; offsets in UTF-16 units. */
export interface Found {
  category: string;
  severity: string;
  start: number;
  end: number;
}

/** How much of a text is scanned together, in UTF-16 units without the rests of long runs of invisible and combining characters. */
export interface Window {
  /** How much is decided at a time. */
  step: number;
  /** Lookahead that is scanned along with it: longer than anything searched for. */
  ahead: number;
  /** Lookbehind that is scanned along with it. */
  behind: number;
}

/** Scans a text as it arrives. Never holds back more than `step + ahead` units, and the bounded rests of the runs in them. */
export interface Scanner {
  /** Takes more of the text; returns what may be sent, with findings masked. */
  push(more: string): Promise<string>;
  /** The rest; `isCut`: the text was broken off, so that its last word or number may only be the beginning of one. */
  end(isCut?: boolean): Promise<string>;
  /** The matches so far. */
  readonly found: readonly Found[];
}

/** The cost of starting a scan, however short the text, in scan units. */
export const unitsOfALook = 100;
/** About 10 ms of CPU time. */
const unitsOfATurn = 3_000;
const foundMax = 10_000;
/** How much of a long text is taken at once. */
const unitsOfATake = 4_096;

/** For texts that are scanned together. */
export function createScannerPace(): Pace {
  return createPace(unitsOfATurn);
}

/**
 * Cuts a text into steps at positions that depend only on the text, and scans each one with its surroundings. So a text that
 * arrives in pieces is judged exactly like the same text in one piece, however it is split. `find` is told where a text was broken off;
 * `counts` says whether a finding that is made here is one.
 */
export function createScanner(
  find: (text: string, isCut: boolean) => readonly Found[],
  window: Window,
  pace: Pace = createScannerPace(),
  counts: (one: Found) => boolean = () => true,
): Scanner {
  const found: Found[] = [];
  const add = (one: Found) => void (found.length < foundMax && found.push(one));
  // What was not judged does not pass as harmless, whatever is looked for.
  const runs = createRuns(
    (at) => add({ category: 'not_assessed', severity: 'critical', start: at, end: at + 1 }),
    (at) => {
      const one = { category: 'prompt_injection', severity: 'high', start: at, end: at + 1 };
      if (counts(one)) add(one);
      return counts(one);
    },
  );
  /** The text from `base` on, without the rests of long runs. */
  let kept = '';
  let base = 0;
  /** Everything before this has been decided. */
  let from = 0;
  /** Everything up to here is masked; -1: nothing yet. */
  let hiddenTo = -1;

  function shown(start: number, end: number): string {
    return runs.whole(kept.slice(start - base, end - base), start);
  }

  async function decide(to: number, isCut = false): Promise<string> {
    const start = Math.max(base, from - window.behind);
    const reach = Math.min(base + kept.length, to + window.ahead);
    const looked = kept.slice(start - base, reach - base);
    await pace(looked.length + unitsOfALook);
    let left = '';
    let at = Math.max(from, Math.min(hiddenTo, to));
    for (const one of placed(find(looked, isCut && reach === base + kept.length), start)) {
      if (one.end <= Math.max(from, hiddenTo) || one.start >= to) continue;
      add(one);
      const begin = Math.max(one.start, from);
      if (begin > hiddenTo) left += shown(at, begin) + mask;
      hiddenTo = one.end;
      at = Math.min(one.end, to);
    }
    left += shown(at, to);
    from = to;
    runs.forget(from);
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
      let left = '';
      for (let at = 0; at < more.length; at += unitsOfATake) {
        kept += runs.take(more.slice(at, at + unitsOfATake));
        while (base + kept.length > from + window.step + window.ahead) left += await decide(stepEnd());
      }
      return left;
    },
    async end(isCut) {
      kept += runs.end();
      let left = '';
      while (from < base + kept.length) left += await decide(stepEnd(), isCut);
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
