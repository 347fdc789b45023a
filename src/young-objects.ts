import { setFlagsFromString } from 'node:v8';

/**
 * Has V8 allocate every new object among the young ones. To be called first thing in a process.
 *
 * When most objects of a kind outlive two collections, V8 allocates them among the old ones from then on. In a service, a stall of some
 * milliseconds is enough for that: all requests in flight outlive it. The kinds so chosen, for example the wrappers of listeners
 * that Node makes for each reply, then retain every request until the whole heap is collected, which keeps the rate high and
 * the choice in force (docs/decisions/2026-11-26-young-objects.md).
 */
export function keepNewObjectsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
