import type { Caller } from '../base/caller.ts';
import { type Result, succeed } from '../base/failure.ts';
import { InFlight } from '../base/in-flight.ts';
import type { TokenReservation } from '../limits/index.ts';
import type { Ledger, Usage } from '../wallet/index.ts';
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
  const kept = new InFlight<TokenReservation>();

  function settle(chargeId: string, tokens: number): void {
    kept.take(chargeId)?.settle(tokens);
  }

  return {
    ledger: {
      hold: (request) => ledger.hold(request),
      extend: (hold, more, minimum) => ledger.extend(hold, more, minimum),
      recordProgress: (hold, progress) => ledger.recordProgress(hold, progress),
      close: () => ledger.close(),
      settle(hold, settlement) {
        settle(hold.chargeId, tokensOf(settlement.usage));
        return ledger.settle(hold, settlement);
      },
      release(hold, reason) {
        settle(hold.chargeId, 0);
        return ledger.release(hold, reason);
      },
    },
    reserve: (caller, prepared) => reserveMost(reserveTokens, caller, prepared),
    keep: (chargeId, reservation) => kept.put(chargeId, reservation),
  };
}

/** Sets aside the most that a request can use, whichever of its routes answers. */
export async function reserveMost(
  reserveTokens: ReserveTokens,
  caller: Caller,
  { quote, measure }: PreparedChat,
): Promise<Result<TokenReservation>> {
  const most = quote.routes.map(
    ({ model, outputTokensCap }) => inputTokensAtMost(measure, model.imageTokens) + outputTokensCap,
  );
  return most.length === 0 ? unlimited : reserveTokens(caller, Math.max(...most));
}

/** Model tokens as the limits count them; what is not known counts nothing. */
export function tokensOf({ inputTokens = 0, outputTokens = 0 }: Usage): number {
  return inputTokens + outputTokens;
}

const unlimited = succeed<TokenReservation>({ settle: () => {} });
