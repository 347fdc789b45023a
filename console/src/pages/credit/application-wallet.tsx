import { t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, Section } from '../../ui/index.ts';
import { TopUpForm } from './top-up-form.tsx';
import { WalletFigures } from './wallet-figures.tsx';

/** The companion application's wallet, separate from the API's. */
export function ApplicationWallet() {
  const wallet = useRpc('WalletService.GetApplicationWallet', {});
  return (
    <Section title={t('credit.application')} folds>
      <p class="muted">{t('credit.applicationHelp')}</p>
      <Async query={wallet} lines={4}>
        {(reply) => <WalletFigures wallet={reply.wallet} />}
      </Async>
      <details>
        <summary>{t('credit.applicationTopUp')}</summary>
        <TopUpForm kind="application" />
      </details>
    </Section>
  );
}
