import type { Caller } from '../base/caller.ts';
import { type Result, succeed } from '../base/failure.ts';
import type { TokenReservation } from '../limits/index.ts';
import type { Ledger } from '../wallet/index.ts';
import type { PreparedChat } from './prepare.ts';
import { inputTokensAtMost } from './tokens.ts';

/** Sets model tokens aside, or says when to try again. */
export type ReserveTokens = (
  caller: Caller,
  tokens: number,
) => Result<TokenReservation> | Promise<Result<TokenReservation>>;

/** Counts the tokens of chat against the limits a minute: the most before the call, what was used after it. */
export interface TokenLimits {
  /** The ledger, settling the tokens of a charge together with its money. */
  ledger: Ledger;
  /** Sets aside what the request can use at most. The reservation must be kept under its charge, or settled with 0. */
  reserve(caller: Caller, prepared: PreparedChat): Promise<Result<TokenReservation>>;
  keep(chargeId: string, reservation: TokenReservation): void;
}

export function limitTokens(ledger: Ledger, reserveTokens: ReserveTokens | undefined): TokenLimits {
  if (!reserveTokens) return { ledger, reserve: async () => unlimited, keep: () => {} };
  const kept = new Map<string, TokenReservation>();

  function settle(chargeId: string, tokens: number): void {
    kept.get(chargeId)?.settle(tokens);
    kept.delete(chargeId);
  }

  return {
    ledger: {
      hold: (request) => ledger.hold(request),
      extend: (hold, more, minimum) => ledger.extend(hold, more, minimum),
      recordProgress: (hold, progress) => ledger.recordProgress(hold, progress),
      close: () => ledger.close(),
      settle(hold, settlement) {
        const { inputTokens = 0, outputTokens = 0 } = settlement.usage;
        settle(hold.chargeId, inputTokens + outputTokens);
        return ledger.settle(hold, settlement);
      },
      release(hold, reason) {
        settle(hold.chargeId, 0);
        return ledger.release(hold, reason);
      },
    },
    reserve: async (caller, { quote, measure }) => {
      const most = quote.routes.map(
        ({ model, outputTokensCap }) => inputTokensAtMost(measure, model.imageTokens) + outputTokensCap,
      );
      return most.length === 0 ? unlimited : reserveTokens(caller, Math.max(...most));
    },
    keep: (chargeId, reservation) => void kept.set(chargeId, reservation),
  };
}

const unlimited = succeed<TokenReservation>({ settle: () => {} });
