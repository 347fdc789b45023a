import {
  type ChargeRow,
  type PostingRow,
  type UsageHourRow,
  type UsageUserHourRow,
  usageCounts,
  usageSums,
} from '../../tables.ts';
import type { GroupState } from './group-state.ts';

/** What a group adds to the usage sums. */
export interface UsageChanges {
  hours: UsageHourRow[];
  userHours: UsageUserHourRow[];
  /** Where a late settlement corrects a charge that was already captured and whose posting is already summed. */
  moved: { chargeId: string; upTo: bigint; hours: UsageHourRow[]; userHours: UsageUserHourRow[] }[];
}

/** A charge is counted with its first posting: one of which nothing could be collected, with the first repayment. */
const firstSteps: ReadonlySet<string> = new Set(['capture', 'expiry', 'late']);
const firstRepayment = 'repay:use:1';
const hourUs = 3_600_000_000n;

type Sums = Record<(typeof usageSums)[number], bigint>;
const counts = usageCounts.filter((name) => name !== 'requests');

/** What the group's postings add to the sums of their hours, one row per hour and kind of use. */
export function usageOf(state: GroupState): UsageChanges {
  const added = new Collected();
  for (const posting of state.newPostings) {
    const { walletId, seq, sourceType, sourceId, createdAtUs } = posting;
    if (sourceType !== 'charge' || seq > (state.wallets.get(walletId)?.summed ?? 0n)) continue;
    const charge = state.charges.get(sourceId);
    if (!charge) throw new Error(`The charge ${sourceId} of a posting was not read.`);
    added.add(charge, createdAtUs, sumsOf(posting, charge));
  }
  return { ...added.rows(), moved: movesOf(state) };
}

function movesOf(state: GroupState): UsageChanges['moved'] {
  return state.charges.changed().flatMap(({ row, before }) => {
    const { endedAtUs, settled = 0n } = before;
    if (before.state !== 'expired' || settled === 0n || endedAtUs === undefined || !saysOtherwise(row, before))
      return [];
    const moved = new Collected();
    moved.add(before, endedAtUs, negative(countsOf(before, settled)));
    moved.add(row, endedAtUs, countsOf(row, settled));
    return [{ chargeId: row.id, upTo: state.wallets.get(row.walletId)?.summed ?? 0n, ...moved.rows() }];
  });
}

function saysOtherwise(row: Readonly<ChargeRow>, before: Readonly<ChargeRow>): boolean {
  return (['provider', 'model', ...counts] as const).some((name) => row[name] !== before[name]);
}

function sumsOf({ step, amount, creditAccount }: PostingRow, charge: Readonly<ChargeRow>): Sums {
  const cost = creditAccount === 'wallet' ? -amount : amount;
  const isFirst = firstSteps.has(step) || (step === firstRepayment && charge.settled === 0n);
  return isFirst ? countsOf(charge, cost) : { ...nothing, cost };
}

function countsOf(charge: Readonly<ChargeRow>, cost: bigint): Sums {
  const sums = { ...nothing, charges: 1n, cost };
  for (const name of counts) sums[name] = BigInt(charge[name] ?? 0);
  return sums;
}

const nothing = Object.fromEntries(usageSums.map((name) => [name, 0n])) as Sums;

function negative(sums: Sums): Sums {
  return Object.fromEntries(usageSums.map((name) => [name, -sums[name]])) as Sums;
}

/** Rows to add, one per table key. */
class Collected {
  readonly #hours = new Map<string, UsageHourRow>();
  readonly #userHours = new Map<string, UsageUserHourRow>();

  add(charge: Readonly<ChargeRow>, timeUs: bigint, sums: Sums): void {
    const { walletId, keyId, operation, provider = '', model = '', deviceId = '', subject = '' } = charge;
    const place = { walletId, hour: timeUs / hourUs, keyId, operation, provider, model };
    const byUser = deviceId !== '' || subject !== '';
    addTo(this.#hours, { ...place, byUser }, sums);
    if (byUser) addTo(this.#userHours, { ...place, deviceId, subject }, sums);
  }

  rows(): Pick<UsageChanges, 'hours' | 'userHours'> {
    return { hours: [...this.#hours.values()], userHours: [...this.#userHours.values()] };
  }
}

function addTo<Place extends object>(rows: Map<string, Place & Sums>, place: Place, sums: Sums): void {
  const key = Object.values(place).join('\0');
  const row: Sums | undefined = rows.get(key);
  if (!row) rows.set(key, { ...place, ...sums });
  else for (const name of usageSums) row[name] += sums[name];
}
