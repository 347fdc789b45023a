import { Link } from 'wouter-preact';
import type { ChargeJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { formatNumber, t } from '../../i18n/index.ts';
import { sumUsd } from '../../money.ts';
import { type Column, Money, Table, Time } from '../../ui/index.ts';
import { StateBadge } from './state.tsx';

interface ChargeTableProps {
  rows: readonly ChargeJson[];
  /** The charge shown in the panel. */
  current: string | undefined;
  /** The filters, for the links of the rows. */
  search: string;
}

/** The charges of the loaded pages, with their total. */
export function ChargeTable({ rows, current, search }: ChargeTableProps) {
  const columns: Column<ChargeJson>[] = [
    {
      id: 'time',
      title: t('charges.time'),
      cell: ({ createTime }) => <Time at={createTime} />,
    },
    {
      id: 'what',
      title: t('charges.what'),
      phone: 'title',
      cell: ({ chargeId, operation, model }) => (
        <>
          <Link href={`/charges/${chargeId}${search}`}>{operation}</Link> {model && <span class="muted">{model}</span>}
        </>
      ),
      total: t('charges.shown'),
    },
    { id: 'state', title: t('charges.state'), cell: ({ state }) => <StateBadge state={state} /> },
    { id: 'in', title: t('charges.tokensIn'), align: 'end', cell: ({ inputTokens }) => countText(inputTokens) },
    { id: 'out', title: t('charges.tokensOut'), align: 'end', cell: ({ outputTokens }) => countText(outputTokens) },
    {
      id: 'cost',
      title: t('charges.cost'),
      align: 'end',
      cell: ({ chargedUsd }) => <Money usd={chargedUsd} />,
      // Running requests have no cost yet.
      total: <Money usd={sumUsd(rows.map(({ chargedUsd = '0.00' }) => chargedUsd))} />,
    },
  ];
  return (
    <Table
      caption={t('charges.title')}
      columns={columns}
      rows={rows}
      rowKey={({ chargeId = '' }) => chargeId}
      isCurrent={({ chargeId }) => chargeId === current}
    />
  );
}

/** A count as the API states it; an absent count is not zero. */
export function countText(count: string | undefined): string {
  return count === undefined ? '–' : formatNumber(BigInt(count));
}
