import type { JsonValue } from '@bufbuild/protobuf';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../base/clock.ts';

/**
 * Limits how often samples and runs that fail tell what the workflow computed. They are free, so without a limit they would be a
 * way to run a workflow for nothing: its input as a sample, say, and its output in the error.
 */
export interface ToldResults {
  /** Whether this account may be told one more result; counts it if so. */
  mayTell(accountId: string): boolean;
}

/** A problem that may name what the workflow computed, or only that there is one. */
export function toldProblem(told: ToldResults, accountId: string, problem: string): string {
  return told.mayTell(accountId) ? problem : untold;
}

/** How many results an account is told at once, and per hour after that, on each node: more than somebody who writes a definition needs. */
export const toldMost = 60;
const hourMs = 3_600_000;
/** Under 2 MB. */
const accountsMax = 10_000;

export function createToldResults(clock: Pick<Clock, 'monotonic'>): ToldResults {
  const accounts = new LRUCache<string, { told: number; atMs: number }>({ max: accountsMax });
  return {
    mayTell(accountId) {
      const atMs = clock.monotonic();
      const last = accounts.get(accountId) ?? { told: 0, atMs };
      const told = Math.max(0, last.told - ((atMs - last.atMs) * toldMost) / hourMs);
      if (told + 1 > toldMost) return false;
      accounts.set(accountId, { told: told + 1, atMs });
      return true;
    },
  };
}

/** Where an output first differs from what a sample expects of it. */
export interface Difference {
  path: string;
  expected: JsonValue | undefined;
  actual: JsonValue | undefined;
  /** What there is beyond what is expected: a name, which may be computed, or an index. */
  unexpected?: string;
}

/** The first difference in what a sample expects, as deep as it lies: never a value that the sample says nothing of. */
export function differenceIn(
  actual: JsonValue | undefined,
  expected: JsonValue | undefined,
  path: string,
): Difference | undefined {
  if (typeof actual === 'number' && typeof expected === 'number')
    return Math.abs(actual - expected) < 1e-9 ? undefined : { path, expected, actual };
  if (!isTree(actual) || !isTree(expected) || Array.isArray(actual) !== Array.isArray(expected))
    return actual === expected ? undefined : { path, expected, actual };
  const isList = Array.isArray(expected);
  for (const name of Object.keys(expected)) {
    const found = differenceIn(
      valueAt(actual, name),
      valueAt(expected, name),
      isList ? `${path}[${name}]` : `${path}.${name}`,
    );
    if (found) return found;
  }
  const more = Object.keys(actual).find((name) => !Object.hasOwn(expected, name));
  return more === undefined ? undefined : { path, expected, actual, unexpected: isList ? `[${more}]` : shown(more) };
}

type Tree = JsonValue & object;

function isTree(value: JsonValue | undefined): value is Tree {
  return typeof value === 'object' && value !== null;
}

/** A property by a name that the caller chose: every object inherits "constructor". */
export function valueAt(tree: object, name: string): JsonValue | undefined {
  return Object.hasOwn(tree, name) ? (tree as Record<string, JsonValue>)[name] : undefined;
}

const untold = `after ${toldMost} samples and runs that failed within an hour, what the workflow computes is told no more for some minutes`;
const shownUnits = 200;

/** A difference in words; without the workflow's value if that may not be told. */
export function wordsOf({ expected, actual, unexpected }: Difference, mayTell: boolean): string {
  if (!mayTell) return `is not what the workflow yields; ${untold}`;
  if (unexpected !== undefined) return `is not expected to have ${unexpected}`;
  return `should be ${shown(expected ?? null)}, but the workflow yields ${actual === undefined ? 'nothing' : shown(actual)}`;
}

function shown(value: JsonValue): string {
  return JSON.stringify(value).slice(0, shownUnits);
}
