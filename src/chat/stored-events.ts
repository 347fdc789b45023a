import type { StreamEntry } from './stream-log.ts';

/** Amounts of money are the only values that JSON cannot represent. */
const amount = 'nanoUsd';

/** Serializes a reply's events for storage. */
export function storeEvents(entries: readonly StreamEntry[]): Uint8Array {
  return Buffer.from(
    JSON.stringify(entries, (_, value: unknown) => (typeof value === 'bigint' ? { [amount]: String(value) } : value)),
  );
}

export function restoreEvents(bytes: Uint8Array): StreamEntry[] {
  return JSON.parse(Buffer.from(bytes).toString('utf8'), (_, value: unknown) =>
    isAmount(value) ? BigInt(value[amount]) : value,
  ) as StreamEntry[];
}

function isAmount(value: unknown): value is { [amount]: string } {
  return typeof value === 'object' && value !== null && amount in value && Object.keys(value).length === 1;
}
