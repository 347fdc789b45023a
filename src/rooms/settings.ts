import { hash } from 'node:crypto';
import { fail, type Result, succeed } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import type { Catalog, CatalogSettings } from '../catalog/index.ts';
import type { Config, Secrets } from '../config/index.ts';
import type { VerifiedKey } from '../keys/index.ts';
import type { Levels } from '../limits/index.ts';
import type { AlertChange, PulsePrice } from '../pulse/index.ts';
import type { LowBalance } from '../wallet/index.ts';

/** The operators' tokens, by name. If the environment sets a token, it is the only one. */
export function operatorsOf({ operatorToken }: Config, secrets: () => Pick<Secrets, 'operatorTokens'>): Operator[] {
  if (operatorToken !== undefined) return [{ name: 'environment', token: operatorToken }];
  return [...secrets().operatorTokens].map(([name, token]) => ({ name, token }));
}

export interface Operator {
  name: string;
  token: string;
}

/** A key's sessions end when its secret is replaced. */
export function secretTimeOf(
  found: Result<VerifiedKey> | Promise<Result<VerifiedKey>>,
): Result<string> | Promise<Result<string>> {
  if (found instanceof Promise) return found.then(secretTimeOf);
  return found.ok ? succeed(String(found.value.secretTime)) : found;
}

/** An operator's sessions end when its token is replaced or removed. The text reveals nothing about the token. */
export function operatorState(operators: readonly Operator[], name: string): Result<string> {
  const found = operators.find((operator) => operator.name === name);
  if (!found) return fail({ kind: 'credential_invalid' });
  return succeed(hash('sha256', `console ${found.token}`, 'base64url'));
}

/** The webhook data for a balance that fell below its threshold. */
export function lowBalanceData({ walletId, kind, balance, threshold }: Omit<LowBalance, 'accountId'>) {
  return {
    ...{ walletId, wallet: kind },
    balanceUsd: formatUsd(balance),
    thresholdUsd: formatUsd(threshold),
    paused: balance === 0n,
  };
}

/** The webhook data for a rate that left its band or returned to it. */
export function alertData({ journey, metric, outside, rate, affected, sessions, band, fromMs, toMs }: AlertChange) {
  return {
    ...{ journey, metric, state: outside ? 'outside' : 'inside', rate, affected, sessions, band },
    ...{ from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() },
  };
}

export function pulsePrice(catalog: Catalog, accountId: string): PulsePrice | undefined {
  const price = catalog.price('pulse', accountId);
  return price && { ...price, version: catalog.version };
}

/** All levels have the same limits: a key may not exceed its account, nor a token its key. */
export function levelsOf({ limits }: Config): Levels {
  const level = { ...limits, streams: limits.concurrentStreams };
  return { account: level, key: level, token: level };
}

/** The configured models and prices. */
export function catalogSettings({ models, ownKeys, workflows, pulse, chat }: Config): CatalogSettings {
  return {
    models,
    services: {
      workflow: { perRequestUsd: workflows.pricePerRequestUsd },
      ...familyPrices(workflows.pricesPerRequestUsd),
      pulse: { perThousandEventsUsd: pulse.pricePerThousandEventsUsd },
      guardrail: { perRequestUsd: chat.guardrailPricePerRequestUsd },
      ...ownKeyPrices(ownKeys),
    },
  };
}

/** The fee for a request with an account's own key, by provider. Its tokens and search units cost 0, and the book says so. */
function ownKeyPrices({ pricePerRequestUsd, pricesPerRequestUsd, providers }: Config['ownKeys']) {
  if (pricePerRequestUsd === null) return {};
  const priced = providers.map((id) => {
    const perRequestUsd = pricesPerRequestUsd[id] ?? pricePerRequestUsd;
    const free = { inputPerMillionUsd: '0', outputPerMillionUsd: '0', perThousandSearchUnitsUsd: '0' };
    return [`byok:${id}`, { ...free, perRequestUsd }];
  });
  return Object.fromEntries(priced) as Record<string, { perRequestUsd: string }>;
}

/** Families with their own price. */
function familyPrices(prices: Readonly<Record<string, string | undefined>>): Record<string, { perRequestUsd: string }> {
  const priced: Record<string, { perRequestUsd: string }> = {};
  for (const [family, price] of Object.entries(prices))
    if (price !== undefined) priced[`workflow:${family}`] = { perRequestUsd: price };
  return priced;
}
