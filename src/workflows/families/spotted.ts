import type { Severity } from '../checks/checks.ts';
import { takenBy } from '../checks/risk-level.ts';
import type { RiskEntry } from '../packs/risk-pack.ts';

/** A risky passage in a text; offsets in UTF-16 units. */
export interface Spotted {
  entry: RiskEntry;
  start: number;
  end: number;
  source: 'rules' | 'own' | 'model' | 'classifier';
  /** Its passage reads like talk about the matter. */
  isTalk?: boolean | undefined;
  /** The account's own pack that found it. */
  pack?: string | undefined;
}

/** The finding of a bank account's number. */
export const accountId = 'account-number';

const order: Readonly<Record<Severity, number>> = { info: 0, low: 1, medium: 2, high: 3, critical: 4 };

export function graver(a: Severity, b: Severity): boolean {
  return order[a] > order[b];
}

/**
 * Of overlapping findings, keeps the graver, then what somebody suffers, then a threat, then the longer. An insult in the words of a threat stays beside
 * it: who threatens and insults does two wrongs. So does a valid account number in a demand for money: it is to be blocked, and
 * taken out of the text, for its own sake. In text order.
 */
export function withoutOverlaps(spotted: Spotted[]): Spotted[] {
  const numbers = spotted.filter(({ entry }) => entry.id === accountId);
  if (numbers.length === 0) return withoutOverlapping(spotted);
  // A finding about the number itself, such as a publication of somebody's data, stands for it.
  const isTold = (number: Spotted, { entry, start, end }: Spotted) =>
    ofNumbers.has(entry.category) && start < number.end && number.start < end;
  const kept = withoutOverlapping(spotted.filter(({ entry }) => entry.id !== accountId));
  return inOrder([...kept, ...numbers.filter((number) => !kept.some((one) => isTold(number, one)))]);
}

const ofNumbers: ReadonlySet<string> = new Set(['personal_data', 'secrets']);

function withoutOverlapping(spotted: Spotted[]): Spotted[] {
  const sorted = inOrder(spotted);
  const threats = withoutOverlapsIn(sorted.filter(({ entry }) => entry.category === 'threat'));
  let at = 0;
  let besideEnd = 0;
  const isBeside = ({ entry, start, end }: Spotted) => {
    if (entry.category !== 'harassment' && entry.category !== 'hate') return false;
    while ((threats[at]?.end ?? Number.POSITIVE_INFINITY) <= start) at++;
    // The same insult found twice is one.
    const is = start < besideEnd || (threats[at]?.start ?? Number.POSITIVE_INFINITY) < end;
    if (is) besideEnd = Math.max(besideEnd, end);
    return is;
  };
  const beside = sorted.filter(isBeside);
  if (beside.length === 0) return withoutOverlapsIn(sorted);
  const rest = new Set(beside);
  return inOrder([...withoutOverlapsIn(sorted.filter((one) => !rest.has(one))), ...withoutOverlapsIn(beside)]);
}

function withoutOverlapsIn(sorted: readonly Spotted[]): Spotted[] {
  const kept: Spotted[] = [];
  for (const next of sorted) {
    const last = kept.at(-1);
    if (last === undefined || next.start >= last.end) kept.push(next);
    else if (outweighs(next, last)) kept[kept.length - 1] = next;
  }
  return kept;
}

function outweighs(next: Spotted, last: Spotted): boolean {
  if (next.entry.severity !== last.entry.severity) return graver(next.entry.severity, last.entry.severity);
  // Somebody who suffers is to be helped before anything is done about the wrong they name.
  if (next.entry.isVictim !== last.entry.isVictim) return next.entry.isVictim === true;
  // To publish pictures unless paid is a threat before it is anything about pictures.
  const isThreat = next.entry.category === 'threat';
  if (isThreat !== (last.entry.category === 'threat')) return isThreat;
  return next.end - next.start > last.end - last.start;
}

/** In the order of the text, the longer first. */
export function inOrder(spotted: Spotted[]): Spotted[] {
  return spotted.sort((a, b) => a.start - b.start || b.end - a.end);
}

/**
 * The share of safety that each finding removes: set by its severity, and halved for each repetition of the same thing, so
 * that a repeated word is no catastrophe. The gravest counts in full, so that a lesser one never reduces it.
 */
export function sharesOf(spotted: readonly Spotted[]): number[] {
  const known = new Map<string, number>();
  const shares = spotted.map(() => 0);
  const gravestFirst = [...spotted.entries()].sort(
    ([, a], [, b]) => takenBy[b.entry.severity] - takenBy[a.entry.severity],
  );
  for (const [index, { entry }] of gravestFirst) {
    const times = known.get(entry.id) ?? 0;
    known.set(entry.id, times + 1);
    shares[index] = takenBy[entry.severity] / 2 ** Math.min(times, 30);
  }
  return shares;
}
