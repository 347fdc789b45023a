import { Link } from 'wouter-preact';
import type { TopUpJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import type { ListTopUpsResponseJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import { findText, t } from '../../i18n/index.ts';
import { useRowList } from '../../row-list.ts';
import { Async, Badge, type Column, Curl, Money, More, Section, Table, Time } from '../../ui/index.ts';

const request = { pageSize: 10 };
const topUpsOf = ({ topUps }: ListTopUpsResponseJson) => topUps;
const kinds: Record<string, 'good' | 'warning' | 'danger'> = { paid: 'good', pending: 'warning', failed: 'danger' };

const columns = (): Column<TopUpJson>[] => [
  { id: 'made', title: t('credit.when'), phone: 'title', cell: ({ createTime }) => <Time at={createTime} /> },
  {
    id: 'state',
    title: t('credit.state'),
    cell: ({ topUpId, state = '' }) => {
      const text = findText('credit', `state-${state}`) ?? state;
      const badge = <Badge kind={kinds[state] ?? 'plain'}>{text}</Badge>;
      return state === 'pending' ? <Link href={`/credit/${topUpId}`}>{badge}</Link> : badge;
    },
  },
  {
    id: 'receipt',
    title: t('credit.receipt'),
    cell: ({ topUpId, state }) =>
      state === 'paid' ? <Link href={`/receipts/${topUpId}`}>{t('credit.receipt')}</Link> : null,
  },
  { id: 'provider', title: t('credit.provider'), cell: ({ provider }) => provider },
  { id: 'paid', title: t('credit.paidAt'), cell: ({ payTime }) => <Time at={payTime} /> },
  { id: 'id', title: t('credit.id'), phone: 'hidden', cell: ({ topUpId }) => <code>{topUpId}</code> },
  { id: 'amount', title: t('credit.amountColumn'), align: 'end', cell: ({ amountUsd }) => <Money usd={amountUsd} /> },
];

/** What was bought, or is being bought. */
export function TopUps() {
  const list = useRowList('WalletService.ListTopUps', request, topUpsOf);
  return (
    <Section title={t('credit.topUps')} folds>
      <Async
        query={list.query}
        lines={4}
        isEmpty={(rows) => rows.length === 0}
        empty={<p class="empty">{t('credit.topUpsNone')}</p>}
      >
        {(rows) => (
          <Table caption={t('credit.topUps')} columns={columns()} rows={rows} rowKey={({ topUpId }) => topUpId ?? ''} />
        )}
      </Async>
      <More list={list} />
      <Curl name="WalletService.ListTopUps" request={request} />
    </Section>
  );
}
