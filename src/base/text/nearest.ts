const lengthMax = 64;

/** A known name, and what of it is compared. */
interface Known {
  name: string;
  bare: string;
}

/** The known name that a name is meant for. `isLikely`: whether a known name is looked at, by its letters and digits. */
export type FindNearest = (name: string, isLikely?: (bare: string) => boolean) => string | undefined;

/**
 * The known name most similar to an unknown one, if similar enough to be meant: equal except for case and separators, a
 * substring, or one letter or at most a third of them different. Undefined if there is none. Bounded: names over 64 characters match
 * nothing.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  return createNearest(known)(name);
}

/** Like `nearestName`, for many names among the same known ones. */
export function createNearest(names: Iterable<string>): FindNearest {
  const known: Known[] = Array.from(names, (name) => ({ name, bare: bare(name).slice(0, lengthMax) }));
  return (name, isLikely = () => true) => {
    const wanted = bare(name);
    if (wanted === '' || wanted.length > lengthMax) return undefined;
    let best: string | undefined;
    // A name as far away as the best so far is not taken.
    let most = Math.max(1, Math.floor(wanted.length / 3));
    for (const candidate of known) {
      if (most < 0) break;
      if (!isLikely(candidate.bare)) continue;
      const distance = distanceOf(wanted, candidate.bare, most);
      if (distance <= most) [best, most] = [candidate.name, distance - 1];
    }
    return best;
  };
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

const rows = [0, 1, 2].map(() => new Uint8Array(lengthMax + 2));

/**
 * The Levenshtein distance, with a swap of neighbours as one step, if it is at most `most`; anything higher if not. Only cells that
 * can be on such a path are computed (Ukkonen, Algorithms for approximate string matching, 1985): names of 60 letters that have
 * nothing in common take 2 us, and 20 us without that. packages/transcoding has its own, simpler one: it may not import the service,
 * and only the edge may import it.
 */
function distanceOf(a: string, b: string, most: number): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  if (shorter >= 4 && (a.includes(b) || b.includes(a))) return 1;
  // Each letter that one has more than the other is a difference.
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY;
  const far = most + 1;
  let [before, row, next] = rows as [Uint8Array, Uint8Array, Uint8Array];
  for (let j = 0; j <= b.length; j++) row[j] = Math.min(j, far);
  for (let i = 1; i <= a.length; i++) {
    const [from, to] = [Math.max(1, i - most), Math.min(b.length, i + most)];
    next[from - 1] = from === 1 ? Math.min(i, far) : far;
    let least = next[from - 1] as number;
    for (let j = from; j <= to; j++) {
      const isSame = a[i - 1] === b[j - 1];
      let cell = (row[j - 1] as number) + (isSame ? 0 : 1);
      // The cell above the last one of a band is beyond the band of its row.
      const above = j === i + most ? far : (row[j] as number);
      cell = Math.min(cell, above + 1, (next[j - 1] as number) + 1, far);
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cell = Math.min(cell, (before[j - 2] as number) + 1);
      next[j] = cell;
      if (cell < least) least = cell;
    }
    // A swap may still reach back to the row before.
    if (least > most && (i === 1 || rowLeast(row, i - 1, b.length, most) > most)) return far;
    [before, row, next] = [row, next, before];
  }
  return row[b.length] as number;
}

function rowLeast(row: Uint8Array, i: number, length: number, most: number): number {
  let least = 255;
  for (let j = Math.max(0, i - most); j <= Math.min(length, i + most); j++) least = Math.min(least, row[j] as number);
  return least;
}
