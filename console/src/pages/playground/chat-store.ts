import { callRpc, isApiFailure } from '../../api.ts';
import { createPayer, type Payer } from '../../paying/payer.ts';
import { ask } from './ask.ts';
import {
  begun,
  type Column,
  isRunning,
  type Model,
  noSettings,
  type Picture,
  type Reply,
  requestOf,
  type Settings,
  type Turn,
  withPiece,
} from './conversation.ts';

export interface ChatState {
  settings: Settings;
  columns: readonly Column[];
  turns: readonly Turn[];
}

/** A conversation in memory. It goes on while another page is shown, and is gone when the tab is. */
export interface ChatStore {
  readonly state: ChatState;
  subscribe(listener: () => void): () => void;
  set(change: Partial<ChatState>): void;
  /** What pays for a column. */
  payerOf(column: string): Payer;
  /** Asks all columns. `onSettled` is called whenever a reply was charged. */
  send(said: { text: string; pictures: readonly Picture[] }, models: readonly Model[], onSettled: () => void): void;
  /** Ends what runs: what came of it is charged. */
  stop(): void;
}

export function createChatStore(keyId: string, first: Column): ChatStore {
  let state: ChatState = { settings: noSettings, columns: [first], turns: [] };
  const listeners = new Set<() => void>();
  const payers = new Map<string, Payer>();

  function set(change: Partial<ChatState>): void {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  }

  function payerOf(column: string): Payer {
    const payer = payers.get(column) ?? createPayer(keyId, ['chat']);
    payers.set(column, payer);
    return payer;
  }

  function replyOf(turn: string, column: string): Reply {
    return state.turns.find(({ id }) => id === turn)?.replies[column] ?? begun;
  }

  function setReply(turn: string, column: string, change: (reply: Reply) => Reply): void {
    const changed = (each: Turn): Turn =>
      each.id === turn
        ? { ...each, replies: { ...each.replies, [column]: change(each.replies[column] ?? begun) } }
        : each;
    set({ turns: state.turns.map(changed) });
  }

  async function run(turn: string, column: Column, models: readonly Model[]): Promise<void> {
    const change = (next: (reply: Reply) => Reply) => setReply(turn, column.id, next);
    const request = requestOf(column, state.turns, state.settings, models);
    const startedAt = performance.now();
    const ms = () => performance.now() - startedAt;
    try {
      const options = {
        payer: payerOf(column.id),
        onCharge: (chargeId: string) => change((reply) => ({ ...reply, chargeId })),
        onConnection: (connection: 'lost' | 'there') =>
          change((reply) =>
            connection === 'lost' && reply.state !== 'stopping'
              ? { ...reply, state: 'lost' }
              : { ...reply, ...(reply.state === 'lost' && { state: 'streaming' }) },
          ),
      };
      for await (const piece of ask(request, options)) change((reply) => withPiece(reply, piece, ms()));
    } catch (thrown) {
      if (!isApiFailure(thrown)) throw thrown;
      const { state: was, chargeId } = replyOf(turn, column.id);
      const ended = { totalMs: ms(), ...(was !== 'stopping' && { failure: thrown }) };
      change((reply) => ({ ...reply, ...ended, state: was === 'stopping' ? 'stopped' : 'failed' }));
      const costUsd = chargeId === undefined ? undefined : await settledCost(chargeId);
      if (costUsd !== undefined) change((reply) => ({ ...reply, costUsd }));
    }
  }

  return {
    get state() {
      return state;
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    set,
    payerOf,
    send(said, models, onSettled) {
      const id = crypto.randomUUID();
      const replies = Object.fromEntries(state.columns.map((column) => [column.id, begun]));
      set({ turns: [...state.turns, { id, ...said, replies }] });
      for (const column of state.columns) void run(id, column, models).finally(onSettled);
    },
    stop() {
      const last = state.turns.at(-1);
      if (!last) return;
      for (const { id } of state.columns) {
        if (!isRunning(replyOf(last.id, id))) continue;
        setReply(last.id, id, (reply) => ({ ...reply, state: 'stopping' }));
        void payerOf(id)
          .stop()
          // It was not ended: it goes on, and can be stopped again.
          .catch(() =>
            setReply(last.id, id, (reply) => ({ ...reply, ...(isRunning(reply) && { state: 'streaming' }) })),
          );
      }
    },
  };
}

/** What was charged for a reply that broke off, once the ledger says; undefined when it does not for some seconds. */
async function settledCost(chargeId: string): Promise<string | undefined> {
  for (let tries = 0; tries < 20; tries++) {
    const { charge } = await callRpc('WalletService.GetCharge', { chargeId }).catch(() => ({ charge: undefined }));
    if (charge && charge.state !== 'held') return charge.chargedUsd ?? '0.00';
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return undefined;
}
