import { Link } from 'wouter-preact';
import type { TopUpJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, Money, Page, Section, Time } from '../../ui/index.ts';
import { Party, Print } from './party.tsx';

/** What was paid for one top-up. An unpaid one has no receipt. */
export function ReceiptPage({ topUpId }: { topUpId: string }) {
  const query = useRpc('WalletService.GetTopUp', { topUpId });
  return (
    <Page title={t('statements.receipt')} actions={<Print />}>
      <Section title={t('statements.receiptOf')}>
        <Party />
        <Async query={query} lines={4}>
          {({ topUp }) => (topUp?.state === 'paid' ? <Paid topUp={topUp} /> : <NotPaid topUpId={topUpId} />)}
        </Async>
      </Section>
    </Page>
  );
}

function Paid({ topUp }: { topUp: TopUpJson }) {
  return (
    <dl class="pairs">
      <dt>{t('statements.number')}</dt>
      <dd>
        <code>{topUp.topUpId}</code>
      </dd>
      <dt>{t('statements.paidAt')}</dt>
      <dd>
        <Time at={topUp.payTime} as="full" />
      </dd>
      <dt>{t('statements.paidBy')}</dt>
      <dd>{topUp.provider}</dd>
      <dt>{t('statements.for')}</dt>
      <dd>{t('statements.forCredit')}</dd>
      <dt>{t('statements.paidAmount')}</dt>
      <dd>
        <strong>
          <Money usd={topUp.amountUsd} />
        </strong>
      </dd>
    </dl>
  );
}

function NotPaid({ topUpId }: { topUpId: string }) {
  return (
    <p class="empty">
      {t('statements.notPaid')} <Link href={`/credit/${topUpId}`}>{t('statements.toTopUp')}</Link>
    </p>
  );
}
