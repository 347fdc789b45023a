/**
 * A node of a trie over UTF-16 units. Nearly every node of a trie of phrases has one child, so the first one stands in the
 * node itself, and a map is made only for more.
 */
export interface TrieNode<End> {
  /** The unit that leads to the first child; -1: there is none. */
  unit: number;
  first: TrieNode<End> | undefined;
  others: Map<number, TrieNode<End>> | undefined;
  /** Whether a number or the rest of a word may come next. */
  forks: boolean;
  /** What ends here; one list for all nodes while it is empty. */
  ends: End[];
}

const noEnds: never[] = [];

export function createTrieNode<End>(): TrieNode<End> {
  return { unit: -1, first: undefined, others: undefined, forks: false, ends: noEnds };
}

/** The child behind a unit. */
export function follow<End>(node: TrieNode<End>, unit: number): TrieNode<End> | undefined {
  return node.unit === unit ? node.first : node.others?.get(unit);
}

/** Adds a child behind a unit that has none. */
export function addChild<End>(node: TrieNode<End>, unit: number): TrieNode<End> {
  const child = createTrieNode<End>();
  if (node.first) {
    node.others ??= new Map();
    node.others.set(unit, child);
  } else {
    node.unit = unit;
    node.first = child;
  }
  return child;
}

/** Adds to what ends at a node. */
export function addEnd<End>(node: TrieNode<End>, end: End): void {
  if (node.ends === noEnds) node.ends = [end];
  else node.ends.push(end);
}
