import { callRpc, isApiFailure } from '../../api.ts';
import { createPayers, type Payer } from '../../paying/payer.ts';
import { type Attempt, ask, type ChatRequest, canGoOn, newAttempt } from './ask.ts';
import {
  beginAgain,
  beginReply,
  type Column,
  goingOn,
  isRunning,
  type Model,
  noSettings,
  type Reply,
  requestOf,
  type Said,
  type Settings,
  type Turn,
  withPiece,
} from './conversation.ts';

export interface ChatState {
  settings: Settings;
  columns: readonly Column[];
  turns: readonly Turn[];
  /** The API key that pays for the next message. */
  keyId: string;
}

/** A conversation in memory. It continues while another page is shown, and is gone when the tab is. */
export interface ChatStore {
  readonly state: ChatState;
  subscribe(listener: () => void): () => void;
  set(change: Partial<ChatState>): void;
  /** The draft message. Listeners are not notified when it changes. */
  draft: Said;
  /** Pays for a column's next request. */
  payerOf(column: string): Payer;
  /** Asks all columns. Calls `onSettled` whenever a reply has been charged. */
  send(said: Said, models: readonly Model[], onSettled: () => void): void;
  /** Asks a column the last message again after it failed. If only the answer was lost, it continues that reply, which is charged once. */
  again(column: string, models: readonly Model[], onSettled: () => void): void;
  /** Stops running replies: what was generated is charged. */
  stop(): void;
}

/** A column's last request. */
interface Asked {
  payer: Payer;
  request: ChatRequest;
  attempt: Attempt;
}

const nothing: Said = { text: '', pictures: [] };

/** A conversation that starts with the given state, and is empty otherwise. */
export function createChatStore(begin: Partial<ChatState> = {}, draft: Said = nothing): ChatStore {
  const first: Column = { id: 'a', choice: 'auto:balanced' };
  let state: ChatState = { settings: noSettings, columns: [first], turns: [], keyId: '', ...begin };
  const listeners = new Set<() => void>();
  const payers = createPayers(['chat']);
  const lastAsked = new Map<string, Asked>();

  function set(change: Partial<ChatState>): void {
    state = { ...state, ...change };
    for (const listener of listeners) listener();
  }

  function payerOf(column: string): Payer {
    return payers(state.keyId, column);
  }

  function lastReply(column: string): Reply | undefined {
    return state.turns.at(-1)?.replies[column];
  }

  /** Changes the reply of a column in each turn. */
  function mapReplies(column: string, change: (reply: Reply, isLast: boolean) => Reply): void {
    const changed = (turn: Turn, at: number): Turn => {
      const reply = turn.replies[column];
      if (!reply) return turn;
      return { ...turn, replies: { ...turn.replies, [column]: change(reply, at === state.turns.length - 1) } };
    };
    set({ turns: state.turns.map(changed) });
  }

  /** Updates an attempt, even if the message was sent again since. */
  function setReply(column: string, id: string, change: (reply: Reply) => Reply): void {
    const changed = (reply: Reply): Reply => {
      if (reply.id === id) return change(reply);
      return reply.earlier ? { ...reply, earlier: reply.earlier.map(changed) } : reply;
    };
    mapReplies(column, changed);
  }

  async function run(column: string, { payer, request, attempt }: Asked): Promise<void> {
    const id = lastReply(column)?.id ?? '';
    const change = (next: (reply: Reply) => Reply) => setReply(column, id, next);
    const startedAt = performance.now();
    const ms = () => performance.now() - startedAt;
    try {
      const options = {
        ...{ payer, attempt },
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
      const { state: was, chargeId } = lastReply(column) ?? {};
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
    draft,
    payerOf,
    send(said, models, onSettled) {
      const replies = Object.fromEntries(state.columns.map(({ id }) => [id, beginReply()]));
      set({ turns: [...state.turns, { id: crypto.randomUUID(), ...said, replies }] });
      for (const column of state.columns) {
        const request = requestOf(column, state.turns, state.settings, models);
        const asked = { payer: payerOf(column.id), request, attempt: newAttempt() };
        lastAsked.set(column.id, asked);
        void run(column.id, asked).finally(onSettled);
      }
    },
    again(columnId, models, onSettled) {
      const column = state.columns.find(({ id }) => id === columnId);
      const before = lastAsked.get(columnId);
      const { failure } = lastReply(columnId) ?? {};
      if (!column || !failure) return;
      const turns = state.turns.map((turn, at) => (at === state.turns.length - 1 ? { ...turn, replies: {} } : turn));
      const request = requestOf(column, turns, state.settings, models);
      const payer = payerOf(columnId);
      const isSame = payer === before?.payer && JSON.stringify(request) === JSON.stringify(before.request);
      const goesOn = isSame && canGoOn(before.attempt, failure);
      const asked = { payer, request, attempt: goesOn ? before.attempt : newAttempt() };
      lastAsked.set(columnId, asked);
      mapReplies(columnId, (reply, isLast) => (isLast ? (goesOn ? goingOn(reply) : beginAgain(reply)) : reply));
      void run(columnId, asked).finally(onSettled);
    },
    stop() {
      for (const { id: column } of state.columns) {
        const reply = lastReply(column);
        const asked = lastAsked.get(column);
        if (!reply || !asked || !isRunning(reply)) continue;
        setReply(column, reply.id, (before) => ({ ...before, state: 'stopping' }));
        void asked.payer
          .stop()
          // It was not stopped: it continues, and can be stopped again.
          .catch(() =>
            setReply(column, reply.id, (now) => ({ ...now, ...(isRunning(now) && { state: 'streaming' }) })),
          );
      }
    },
  };
}

/** The charge for a reply that broke off, once the ledger states it; undefined if it does not for some seconds. */
async function settledCost(chargeId: string): Promise<string | undefined> {
  for (let tries = 0; tries < 20; tries++) {
    const { charge } = await callRpc('WalletService.GetCharge', { chargeId }).catch(() => ({ charge: undefined }));
    if (charge && charge.state !== 'held') return charge.chargedUsd ?? '0.00';
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  return undefined;
}
