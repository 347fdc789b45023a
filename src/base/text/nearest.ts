const lengthMax = 64;

/**
 * The known name most similar to an unknown one, if similar enough to be meant: equal except for case and separators, a
 * substring, or at most a third of the letters different. Undefined if there is none. Bounded: names over 64 characters match
 * nothing.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  const wanted = bare(name);
  if (wanted === '' || wanted.length > lengthMax) return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  const most = Math.max(1, Math.floor(wanted.length / 3));
  for (const candidate of known) {
    const distance = distanceOf(wanted, bare(candidate).slice(0, lengthMax), most);
    if (distance < least) [best, least] = [candidate, distance];
  }
  return least <= most ? best : undefined;
}

function bare(name: string): string {
  return name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}

function distanceOf(a: string, b: string, most: number): number {
  if (a === b) return 0;
  const shorter = Math.min(a.length, b.length);
  if (shorter >= 4 && (a.includes(b) || b.includes(a))) return 1;
  // Each letter that one has more than the other is a difference.
  if (Math.abs(a.length - b.length) > most) return Number.POSITIVE_INFINITY;
  // Levenshtein distance, with a swap of neighbours as one step, computed row by row. packages/transcoding has a copy: it may
  // not import the service, and only the edge may import it.
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swapped =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? Number.POSITIVE_INFINITY;
}
