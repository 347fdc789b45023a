/** What a list of linked items needs of each: nobody else changes these. */
export interface Links<Item> {
  older: Item | undefined;
  newer: Item | undefined;
}

/**
 * Items that come and go with every request, linked to one another.
 *
 * A set would retain them: V8 makes such a table anew every few changes, and an outgrown table in the old generation keeps all
 * later ones and their contents until the whole heap is collected.
 */
export class LinkedList<Item extends Links<Item>> {
  private newest: Item | undefined;

  get isEmpty(): boolean {
    return this.newest === undefined;
  }

  /** The item is in no list. */
  add(item: Item): void {
    item.older = this.newest;
    if (this.newest) this.newest.newer = item;
    this.newest = item;
  }

  /** The item may be in the list or in none. */
  delete(item: Item): void {
    const { older, newer } = item;
    if (newer) newer.older = older;
    else if (this.newest === item) this.newest = older;
    if (older) older.newer = newer;
    item.older = undefined;
    item.newer = undefined;
  }

  /** All items, the newest first, as they are now: whoever goes through them may delete any. */
  all(): Item[] {
    const items: Item[] = [];
    for (let item = this.newest; item; item = item.older) items.push(item);
    return items;
  }
}
