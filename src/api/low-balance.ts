import { unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import type { WalletService } from '../gen/intelligence/wallet/v1/wallet_service_pb.ts';
import type { LowBalanceAlert, LowBalanceAlerts, WalletKind } from '../wallet/index.ts';
import { accountOf } from './caller.ts';
import type { Handlers } from './handlers.ts';
import { amountOf } from './mapping.ts';

/** The part of WalletService that sets when an account is notified of low credit. */
export function lowBalanceHandlers(
  alerts: LowBalanceAlerts,
): Pick<Handlers<typeof WalletService>, 'getLowBalanceAlert' | 'updateLowBalanceAlert'> {
  return {
    getLowBalanceAlert: async ({ wallet }, { caller }) => ({
      alert: alertMessage(unwrap(await alerts.get(accountOf(caller), kindOf(wallet)))),
    }),
    updateLowBalanceAlert: async ({ wallet, thresholdUsd }, { caller }) => {
      const threshold = amountOf(thresholdUsd, 'thresholdUsd');
      return { alert: alertMessage(unwrap(await alerts.set(accountOf(caller), kindOf(wallet), threshold))) };
    },
  };
}

/** The contract's rules allow no other names here. */
function kindOf(wallet: string): WalletKind {
  return wallet === 'application' ? 'application' : 'api';
}

function alertMessage({ threshold, below }: LowBalanceAlert) {
  return { thresholdUsd: formatUsd(threshold), below };
}
