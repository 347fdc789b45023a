export { type AuditOptions, auditLedger, type Violation } from './audit/audit.ts';
export { type AuditRun, type AuditRuns, createAuditRuns } from './audit/audit-runs.ts';
export type { Invariant } from './audit/invariant.ts';
export { type LedgerHealth, readLedgerHealth } from './health-store.ts';
export {
  createLedger,
  type LedgerDependencies,
  type LedgerSettings,
  type RunningLedger,
} from './ledger/create-ledger.ts';
export type * from './ledger/ledger.ts';
export {
  createLowBalanceAlerts,
  type LowBalance,
  type LowBalanceAlert,
  type LowBalanceAlerts,
} from './low-balance/low-balance.ts';
export {
  addUsage,
  Budget,
  dueOf,
  endingCharge,
  type Funds,
  OpenCharge,
  openCharge,
  type ReserveTokens,
  type Spending,
  settleInFull,
} from './open-charge.ts';
export { type Payer, payerOf, replyScope } from './payer.ts';
export { createReaper, type Reaper, type ReaperOptions } from './reaper/reaper.ts';
export { createStatements } from './statements/create-statements.ts';
export type * from './statements/statements.ts';
export { type TopUpSettings, topUpMin } from './top-ups/create-top-ups.ts';
export { manualPayments, refuseSandboxMoney, sandboxPayments } from './top-ups/payments.ts';
export type * from './top-ups/top-ups.ts';
export { createUsageCatchUp, type UsageCatchUp, type UsageCatchUpOptions } from './usage/catch-up.ts';
export { rebuildUsage, type UsageRebuild, type UsageRebuildOptions } from './usage/rebuild.ts';
export { fits } from './wallets/charge-filter.ts';
export { createWallets, type WalletsDependencies } from './wallets/create-wallets.ts';
export type * from './wallets/wallets.ts';
export {
  type ChargingDeps,
  chargeWhole,
  type Momentary,
  payableRoutes,
  type QuotedWork,
  settleReply,
} from './whole-reply.ts';
