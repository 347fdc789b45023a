import type { Charge, ChargesFilter } from './wallets.ts';

/** The filters that compare a column of the charge. */
export const equalities = ['state', 'operation', 'model', 'keyId', 'deviceId', 'subject', 'requestId'] as const;

/** Whether a charge matches every part of a filter. */
export function fits(charge: Charge, filter: Readonly<ChargesFilter>): boolean {
  const { metadata, start, end } = filter;
  const admitted = charge.createdAt.getTime();
  return (
    equalities.every((name) => filter[name] === undefined || charge[name] === filter[name]) &&
    (metadata === undefined || charge.metadata[metadata.key] === metadata.value) &&
    (start === undefined || admitted >= start) &&
    (end === undefined || admitted < end)
  );
}

/** A filter as it appears in a list's name; empty if all charges are wanted. */
export function describeFilter(filter: Readonly<ChargesFilter>): (string | ChargesFilter['metadata'])[] {
  const { metadata, start, end } = filter;
  return [metadata, start?.toString(), end?.toString(), ...equalities.map((name) => filter[name])];
}
