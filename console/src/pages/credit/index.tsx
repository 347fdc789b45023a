import './credit.css';
import { Link, useParams } from 'wouter-preact';
import { NextStep } from '../../credentials/next-step.tsx';
import { t } from '../../i18n/index.ts';
import { readUsd } from '../../money.ts';
import { useRpc } from '../../query.ts';
import { Async, Curl, Page, Section } from '../../ui/index.ts';
import { Alert } from './alert.tsx';
import { ApplicationWallet } from './application-wallet.tsx';
import { Entries } from './entries.tsx';
import { TopUpForm } from './top-up-form.tsx';
import { TopUpProgress } from './top-up-progress.tsx';
import { TopUps } from './top-ups.tsx';
import { WalletFigures } from './wallet-figures.tsx';

/** Remaining credit, how to get more, and every movement. */
export default function Credit() {
  const { topUpId } = useParams<{ topUpId?: string }>();
  const wallet = useRpc('WalletService.GetWallet', {});
  const hasCredit = (readUsd(wallet.data?.wallet?.balanceUsd) ?? 0n) > 0n;
  const used = useRpc('WalletService.ListEntries', { kinds: ['usage'], pageSize: 1 }, { enabled: hasCredit });
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
      {hasCredit && used.data && (used.data.entries ?? []).length === 0 && <NextStep />}
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
