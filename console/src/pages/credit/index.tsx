import './credit.css';
import { Link, useParams } from 'wouter-preact';
import { t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, Curl, Page, Section } from '../../ui/index.ts';
import { Alert } from './alert.tsx';
import { ApplicationWallet } from './application-wallet.tsx';
import { Entries } from './entries.tsx';
import { TopUpForm } from './top-up-form.tsx';
import { TopUpProgress } from './top-up-progress.tsx';
import { TopUps } from './top-ups.tsx';
import { WalletFigures } from './wallet-figures.tsx';

/** What is left, how to get more, and every movement. */
export default function Credit() {
  const { topUpId } = useParams<{ topUpId?: string }>();
  const wallet = useRpc('WalletService.GetWallet', {});
  return (
    <Page
      title={t('credit.title')}
      lead={t('credit.lead')}
      actions={
        <Link class="button" href="/statements">
          {t('credit.statements')}
        </Link>
      }
    >
      {topUpId && <TopUpProgress key={topUpId} topUpId={topUpId} />}
      <div class="halves">
        <Section title={t('credit.balance')}>
          <Async query={wallet} lines={4}>
            {(reply) => <WalletFigures wallet={reply.wallet} />}
          </Async>
          <Curl name="WalletService.GetWallet" request={{}} />
        </Section>
        <Section title={t('credit.topUp')}>
          <TopUpForm kind="api" />
        </Section>
      </div>
      <TopUps />
      <Entries />
      <div class="halves">
        <Alert />
        <ApplicationWallet />
      </div>
    </Page>
  );
}
