import type { ChargeState, EntryKind, WalletKind } from './wallets.ts';

/** The tables of this room that are read outside of groups. Amounts are nano-USD, times microseconds since the epoch. */
export interface WalletTables {
  wallet: WalletTable;
  charge: ChargeTable;
  charge_metadata: { wallet_id: string; charge_id: string; name: string; value: string };
  charge_cap: { wallet_id: string; charge_id: string; owner: string };
  posting: PostingTable;
  idempotency: { scope: string; idempotency_key: string; wallet_id: string; charge_id: string };
  stored_reply: { charge_id: string; sealed: Buffer; expires_at_us: bigint };
  commit_group: { id: string; outcome: string; created_at_us: bigint };
  top_up: TopUpTable;
  adjustment: AdjustmentTable;
}

export interface WalletTable {
  id: string;
  account_id: string;
  kind: WalletKind;
  posted: bigint;
  held: bigint;
  owed: bigint;
  open_disputes: number;
  seq: bigint;
  version: bigint;
  created_at_us: bigint;
}

export interface ChargeTable {
  wallet_id: string;
  id: string;
  state: ChargeState;
  hold: bigint;
  settled: bigint | null;
  uncollected: bigint;
  reversed: bigint;
  progress_cost: bigint;
  key_id: string;
  key_version: bigint;
  token_id: string | null;
  subject: string | null;
  device_id: string | null;
  operation: string;
  provider: string | null;
  model: string | null;
  price_version: bigint;
  input_tokens: bigint | null;
  cached_input_tokens: bigint | null;
  output_tokens: bigint | null;
  reasoning_tokens: bigint | null;
  requests: bigint | null;
  events: bigint | null;
  estimated: number;
  node_id: string;
  idempotency_scope: string | null;
  idempotency_key: string | null;
  created_at_us: bigint;
  expires_at_us: bigint | null;
  ended_at_us: bigint | null;
}

export interface PostingTable {
  wallet_id: string;
  seq: bigint;
  kind: EntryKind;
  debit_account: string;
  credit_account: string;
  amount: bigint;
  balance_after: bigint;
  source_type: string;
  source_id: string;
  step: string;
  created_at_us: bigint;
}

export interface TopUpTable {
  id: string;
  wallet_id: string;
  amount: bigint;
  state: 'pending' | 'paid' | 'failed' | 'expired';
  provider: string;
  provider_reference: string | null;
  payment_url: string | null;
  actor: string | null;
  idempotency_key: string | null;
  reversed: bigint;
  created_at_us: bigint;
  paid_at_us: bigint | null;
}

export interface AdjustmentTable {
  id: string;
  wallet_id: string;
  amount: bigint;
  reason: string;
  actor: string;
  idempotency_key: string;
  charge_id: string | null;
  created_at_us: bigint;
}

/** A stored time as a date, to the millisecond. */
export function dateOf(us: bigint): Date {
  return new Date(Number(us / 1_000n));
}
