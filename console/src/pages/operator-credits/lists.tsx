import { Link } from 'wouter-preact';
import type { AccountAdjustmentJson, AccountTopUpJson } from '../../../gen/intelligence/account/v1/account_service_pb';
import { t } from '../../i18n/index.ts';
import { sumUsd } from '../../money.ts';
import { useRowList } from '../../row-list.ts';
import { Async, type Column, Money, More, Section, Table, Time } from '../../ui/index.ts';

/** Top-ups of all accounts whose payment has not arrived. */
export function PendingTopUps() {
  const list = useRowList('AccountService.ListPendingTopUps', {}, ({ topUps }) => topUps);
  return (
    <Section title={t('operator-credits.pending')}>
      <Async query={list.query} lines={4}>
        {(rows) => (
          <Table
            caption={t('operator-credits.pending')}
            columns={topUpColumns(rows)}
            rows={rows}
            rowKey={({ topUp }) => topUp?.topUpId ?? ''}
            empty={<p class="empty">{t('operator-credits.noPending')}</p>}
          />
        )}
      </Async>
      <More list={list} />
    </Section>
  );
}

function topUpColumns(rows: readonly AccountTopUpJson[]): Column<AccountTopUpJson>[] {
  return [
    {
      id: 'account',
      title: t('operator-credits.account'),
      phone: 'title',
      cell: ({ accountId }) => <AccountLink accountId={accountId} />,
      total: t('common.total'),
    },
    { id: 'since', title: t('operator-credits.created'), cell: ({ topUp }) => <Time at={topUp?.createTime} /> },
    { id: 'provider', title: t('operator-credits.provider'), cell: ({ topUp }) => topUp?.provider },
    {
      id: 'top-up',
      title: t('operator-credits.topUp'),
      cell: ({ topUp, providerReference }) => <code>{providerReference || topUp?.topUpId}</code>,
    },
    {
      id: 'amount',
      title: t('operator-credits.amountColumn'),
      align: 'end',
      cell: ({ topUp }) => <Money usd={topUp?.amountUsd} />,
      total: <Money usd={sumUsd(rows.map(({ topUp }) => topUp?.amountUsd))} />,
    },
  ];
}

/** Corrections of all accounts. */
export function Adjustments() {
  const list = useRowList('AccountService.ListAdjustments', {}, ({ adjustments }) => adjustments);
  return (
    <Section title={t('operator-credits.adjustments')}>
      <Async query={list.query} lines={4}>
        {(rows) => (
          <Table
            caption={t('operator-credits.adjustments')}
            columns={adjustmentColumns(rows)}
            rows={rows}
            rowKey={({ adjustment }) => adjustment?.adjustmentId ?? ''}
            empty={<p class="empty">{t('operator-credits.noAdjustments')}</p>}
          />
        )}
      </Async>
      <More list={list} />
    </Section>
  );
}

function adjustmentColumns(rows: readonly AccountAdjustmentJson[]): Column<AccountAdjustmentJson>[] {
  return [
    {
      id: 'account',
      title: t('operator-credits.account'),
      phone: 'title',
      cell: ({ accountId }) => <AccountLink accountId={accountId} />,
      total: t('common.total'),
    },
    { id: 'when', title: t('operator-credits.when'), cell: ({ adjustment }) => <Time at={adjustment?.time} /> },
    { id: 'who', title: t('operator-credits.who'), cell: ({ adjustment }) => adjustment?.actor },
    { id: 'why', title: t('operator.reason'), cell: ({ adjustment }) => adjustment?.reason },
    { id: 'wallet', title: t('operator-credits.wallet'), cell: ({ wallet }) => walletText(wallet) },
    {
      id: 'amount',
      title: t('operator-credits.amountColumn'),
      align: 'end',
      cell: ({ adjustment }) => <Money usd={adjustment?.amountUsd} />,
      total: <Money usd={sumUsd(rows.map(({ adjustment }) => adjustment?.amountUsd))} />,
    },
  ];
}

function walletText(wallet: string | undefined): string | undefined {
  if (wallet === 'api') return t('operator-credits.walletApi');
  if (wallet === 'application') return t('operator-credits.walletApplication');
  return wallet;
}

function AccountLink({ accountId }: { accountId: string | undefined }) {
  return (
    <Link href={`/accounts/${accountId}`}>
      <code>{accountId}</code>
    </Link>
  );
}
