import type { WalletJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { t } from '../../i18n/index.ts';
import { readUsd } from '../../money.ts';
import { Money } from '../../ui/index.ts';

/** What a wallet has, exact, because the figures add up; what is owed appears only if something is. */
export function WalletFigures({ wallet }: { wallet: WalletJson | undefined }) {
  const owes = (readUsd(wallet?.owedUsd) ?? 0n) > 0n;
  return (
    <>
      <dl>
        <div class="figure">
          <dt>{t('credit.available')}</dt>
          <dd>
            <Money usd={wallet?.availableUsd} />
          </dd>
        </div>
      </dl>
      <dl class="pairs">
        <dt>{t('credit.held')}</dt>
        <dd>
          <Money usd={wallet?.heldUsd} />
        </dd>
        <dt>{t('credit.total')}</dt>
        <dd>
          <Money usd={wallet?.balanceUsd} />
        </dd>
        {owes && (
          <>
            <dt>{t('credit.owed')}</dt>
            <dd>
              <Money usd={wallet?.owedUsd} />
            </dd>
          </>
        )}
      </dl>
      <p class="muted small">{t('credit.addUp')}</p>
    </>
  );
}
