export { type AuditOptions, auditLedger, type Violation } from './audit.ts';
export { type Caretaker, type CaretakerOptions, createCaretaker } from './caretaker.ts';
export { createLedger, type LedgerDependencies, type LedgerSettings, type RunningLedger } from './create-ledger.ts';
export { createStatements } from './create-statements.ts';
export { type TopUpSettings, topUpMin } from './create-top-ups.ts';
export { createWallets, type WalletsDependencies } from './create-wallets.ts';
export type { Invariant } from './invariants.ts';
export type {
  Hold,
  HoldOutcome,
  HoldRequest,
  IdempotencyKey,
  Ledger,
  Progress,
  Receipt,
  Settlement,
  SpendingCap,
  Usage,
} from './ledger.ts';
export {
  createLowBalanceAlerts,
  type LowBalance,
  type LowBalanceAlert,
  type LowBalanceAlerts,
} from './low-balance.ts';
export { type Payer, payerOf } from './payer.ts';
export { manualPayments, refuseSandboxMoney, sandboxPayments } from './payments.ts';
export type {
  EntriesRequest,
  MetadataFilter,
  Statements,
  TimeRange,
  UsageDimension,
  UsageRequest,
  UsageRow,
} from './statements.ts';
export type {
  PaymentProvider,
  PaymentReversal,
  RecordedPayment,
  StartedPayment,
  TopUp,
  TopUpRequest,
  TopUpState,
  TopUps,
} from './top-ups.ts';
export type {
  Adjustment,
  AdjustmentRequest,
  Charge,
  ChargeState,
  ChargesRequest,
  Entry,
  EntryKind,
  Wallet,
  WalletKind,
  Wallets,
} from './wallets.ts';
