/**
 * What belongs to requests under way, each under its id until it is taken.
 *
 * A `Map` alone would do, and keep much more than is in it: V8 makes it a new table every few changes and leaves the old
 * one as it was, with all that was in it, linked to the next. Once such a table has come to the old generation, it keeps every
 * table after it, and the requests in them, until the next full collection. Here the tables hold boxes that are
 * emptied when their contents are taken.
 */
export class InFlight<Value> {
  readonly #boxes = new Map<string, { value: Value | undefined }>();

  put(id: string, value: Value): void {
    this.#boxes.set(id, { value });
  }

  /** Undefined when there is none, or when it was taken before. */
  take(id: string): Value | undefined {
    const box = this.#boxes.get(id);
    if (!box) return undefined;
    const { value } = box;
    box.value = undefined;
    this.#boxes.delete(id);
    return value;
  }

  get ids(): string[] {
    return [...this.#boxes.keys()];
  }

  get size(): number {
    return this.#boxes.size;
  }
}
