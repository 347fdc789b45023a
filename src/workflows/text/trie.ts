/**
 * A node of a trie over UTF-16 units. In a trie of phrases nearly every node has one child, so the first child is stored in
 * the node itself, and a map is created only for more.
 */
export interface TrieNode<End> {
  /** The unit that leads to the first child; -1: none. */
  unit: number;
  first: TrieNode<End> | undefined;
  others: Map<number, TrieNode<End>> | undefined;
  /** Whether a number or the rest of a word may come next. */
  forks: boolean;
  /** What ends here; nodes share one list while it is empty. */
  ends: End[];
}

const noEnds: never[] = [];

export function createTrieNode<End>(): TrieNode<End> {
  return { unit: -1, first: undefined, others: undefined, forks: false, ends: noEnds };
}

/** The child for a unit. */
export function follow<End>(node: TrieNode<End>, unit: number): TrieNode<End> | undefined {
  return node.unit === unit ? node.first : node.others?.get(unit);
}

/** Adds a child for a unit that has none. */
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

/** Adds an end to a node. */
export function addEnd<End>(node: TrieNode<End>, end: End): void {
  if (node.ends === noEnds) node.ends = [end];
  else node.ends.push(end);
}
