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
const flag = '\u{1f3f4}';
/** A flag spells its region in tags. */
const flagTags = /^\u{1f3f4}[\u{e0020}-\u{e007e}]{1,6}\u{e007f}?/u;
/** What spells something to a model, wherever in a run it stands: tags, and more selectors of variants than a letter has. */
const spelled =
  /[\u{e0020}-\u{e007e}]|[\u{e0100}-\u{e01ef}].*[\u{e0100}-\u{e01ef}]|[\ufe00-\ufe0f](?:.*[\ufe00-\ufe0f]){3}/su;

/**
 * So that thousands of invisible characters cannot push two halves of a finding so far apart that no window shows both, only the
 * first of a run are looked at. The rest of it takes no room in the window, and leaves with them. A rest that is
 * longer than any script needs is cut there, and `onCut` is told, because it has not been judged. A rest that spells something
 * is taken out if `onSpelled` says so.
 */
export function createRuns(onCut: (place: number) => void, onSpelled: (place: number) => boolean): Runs {
  /** By the place of the unit that they follow, in ascending order. */
  const rests = new Map<number, { text: string; isCut: boolean; isSpelled: boolean }>();
  let length = 0;
  /** How many units the run has that the text so far ends with. */
  let run = 0;
  /** What is looked at of that run, with the character before it if that is a flag. */
  let head = '';
  /** The last units of the text so far. */
  let last = '';
  /** The first half of a surrogate pair at the end. */
  let half = '';

  function keep(place: number, more: string): void {
    const rest = rests.get(place) ?? { text: '', isCut: false, isSpelled: false };
    rests.set(place, rest);
    if (rest.isCut) return;
    const whole = rest.text + more;
    rest.text = beginningOf(whole, restUnitsMax);
    if (!rest.isSpelled && spelled.test((head + rest.text).replace(flagTags, ''))) {
      rest.isSpelled = true;
      rest.isCut = onSpelled(place);
      if (rest.isCut) rest.text = '';
    }
    if (rest.isCut || whole.length <= restUnitsMax) return;
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
      if (before > 0) head += kept;
      else head = (offset === 0 ? last : text.slice(offset - flag.length, offset)) === flag ? flag + kept : kept;
      if (kept.length < characters.length)
        keep(length + offset - removed + kept.length - 1, characters.slice(kept.length));
      removed += characters.length - kept.length;
      if (offset + characters.length === text.length) atEnd = before + characters.length;
      return kept;
    });
    run = atEnd;
    last = text.slice(-flag.length);
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
