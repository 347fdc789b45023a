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
  Entry,
  EntryKind,
  Wallet,
  WalletKind,
  Wallets,
} from './wallets.ts';
