/** Replaces what is hidden. */
export const mask = '[…]';

/** Takes the rest of long runs of invisible and combining characters out of a text, and puts it back. */
export interface Runs {
  /** Takes more of the text; returns what is looked at. */
  take(more: string): string;
  /** What waited for its other half. */
  end(): string;
  /** A part of what is looked at, with the rests that belong to it; `at` is its place. */
  whole(part: string, at: number): string;
  /** Forgets the rests before this place. */
  forget(before: number): void;
}

/** Combining and invisible characters; line breaks and tabs are neither. */
const inRuns = /[[\p{M}\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}]--[\t-\r]]+/gv;
/** Of a run, so many UTF-16 units are looked at: the marks of a syllable in any script. With them, a card number fits the window. */
const lookedAtMax = 5;
/** The rest of a run that a text may have, in UTF-16 units: a flag's, and that of a letter with two dozen marks. */
const restUnitsMax = 32;

/**
 * So that thousands of invisible characters cannot push two halves of a finding so far apart that no window shows both, only the
 * first of a run are looked at. The rest of it takes no room in the window, and leaves with them. A rest that is
 * longer than any script needs is cut there, and `onCut` is told, because it has not been judged.
 */
export function createRuns(onCut: (place: number) => void): Runs {
  /** By the place of the unit that they follow, in ascending order. */
  const rests = new Map<number, { text: string; isCut: boolean }>();
  let length = 0;
  /** How many units the run has that the text so far ends with. */
  let run = 0;
  /** The first half of a surrogate pair at the end. */
  let half = '';

  function keep(place: number, more: string): void {
    const rest = rests.get(place) ?? { text: '', isCut: false };
    rests.set(place, rest);
    if (rest.isCut) return;
    rest.text += more;
    if (rest.text.length <= restUnitsMax) return;
    rest.text = beginningOf(rest.text, restUnitsMax);
    rest.isCut = true;
    onCut(place);
  }

  function take(text: string): string {
    if (text === '') return text;
    let removed = 0;
    let atEnd = 0;
    const looked = text.replace(inRuns, (characters, offset: number) => {
      const before = offset === 0 ? run : 0;
      const kept = beginningOf(characters, lookedAtMax - before);
      if (kept.length < characters.length)
        keep(length + offset - removed + kept.length - 1, characters.slice(kept.length));
      removed += characters.length - kept.length;
      if (offset + characters.length === text.length) atEnd = before + characters.length;
      return kept;
    });
    run = atEnd;
    length += looked.length;
    return looked;
  }

  return {
    take(more) {
      const text = half + more;
      half = /[\ud800-\udbff]$/.exec(text)?.[0] ?? '';
      return take(text.slice(0, text.length - half.length));
    },
    end() {
      const last = half;
      half = '';
      return take(last);
    },
    whole(part, at) {
      if (rests.size === 0) return part;
      let text = '';
      let from = 0;
      for (const [place, rest] of rests) {
        if (place < at + from) continue;
        if (place >= at + part.length) break;
        text += part.slice(from, place + 1 - at) + rest.text + (rest.isCut ? mask : '');
        from = place + 1 - at;
      }
      return text + part.slice(from);
    },
    forget(before) {
      for (const place of rests.keys()) {
        if (place >= before) return;
        rests.delete(place);
      }
    },
  };
}

/** At most so many units of a text, without half a character at their end. */
function beginningOf(text: string, units: number): string {
  return units <= 0 ? '' : text.slice(0, units).replace(/[\ud800-\udbff]$/, '');
}
