import type { UseQueryResult } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import type { KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { UsageRowJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import type { ApiFailure } from '../../api.ts';
import { findText, t } from '../../i18n/index.ts';
import { exactText, type NanoUsd, readUsd, sumUsd } from '../../money.ts';
import type { AllRows } from '../../paging.ts';
import { Badge, type Column, Failure, Money, Table, Time } from '../../ui/index.ts';

interface KeyListProps {
  keys: readonly KeyJson[];
  usage: UseQueryResult<AllRows<UsageRowJson>, ApiFailure>;
  /** The key whose details are open. */
  current: string | undefined;
}

/** Keys with what each has cost. The sum covers the rows shown; the cost of other keys is shown below. */
export function KeyList({ keys, usage, current }: KeyListProps) {
  const costs = usage.data && costsOf(usage.data);
  const costOf = ({ keyId = '' }: KeyJson) => costs && (costs.get(keyId) ?? 0n);
  const sum = costs && keys.reduce((total, key) => total + (costs.get(key.keyId ?? '') ?? 0n), 0n);
  const all = sumUsd(usage.data?.rows.map(({ costUsd }) => costUsd) ?? []);
  const hidden = usage.data && !usage.data.cut && sum !== undefined && all !== undefined ? all - sum : 0n;
  return (
    <>
      {usage.error && <Failure failure={usage.error} retry={() => void usage.refetch()} />}
      <Table
        caption={t('keys.list')}
        columns={columns(costOf, sum)}
        rows={keys}
        rowKey={({ keyId }) => keyId ?? ''}
        isCurrent={({ keyId }) => keyId === current}
      />
      <p class="muted small">{t('keys.lastUsedHelp')}</p>
      {hidden > 0n && <p class="muted small">{t('keys.hiddenCost', { amount: exactText(hidden) })}</p>}
    </>
  );
}

/** What each key has cost; undefined when the list is incomplete, because a missing key may have cost something. */
function costsOf({ rows, cut }: AllRows<UsageRowJson>): Map<string, NanoUsd> | undefined {
  if (cut) return undefined;
  return new Map(rows.flatMap(({ keyId, costUsd }) => (keyId ? [[keyId, readUsd(costUsd) ?? 0n]] : [])));
}

function columns(costOf: (key: KeyJson) => NanoUsd | undefined, sum: NanoUsd | undefined): Column<KeyJson>[] {
  return [
    {
      id: 'name',
      title: t('keys.name'),
      phone: 'title',
      cell: ({ keyId, displayName, purpose, lastFour }) => (
        <>
          <Link href={`/keys/${keyId}`}>{displayName}</Link> <code class="muted">…{lastFour}</code>
          <span class="keys-purpose">{purpose}</span>
        </>
      ),
      total: t('common.total'),
    },
    { id: 'state', title: t('keys.state'), cell: ({ state = '' }) => <KeyState state={state} /> },
    {
      id: 'used',
      title: t('keys.lastUsed'),
      cell: ({ lastUsedTime }) =>
        lastUsedTime ? <Time at={lastUsedTime} /> : <span class="muted">{t('keys.never')}</span>,
    },
    { id: 'spent', title: t('keys.spent'), align: 'end', cell: (key) => <Spent of={key} /> },
    {
      id: 'cost',
      title: t('keys.cost'),
      align: 'end',
      cell: (key) => <Money usd={costOf(key)} />,
      total: <Money usd={sum} />,
    },
  ];
}

const kinds: Record<string, 'good' | 'warning' | 'danger'> = { active: 'good', expired: 'warning', revoked: 'danger' };

export function KeyState({ state }: { state: string }) {
  return <Badge kind={kinds[state] ?? 'plain'}>{findText('keys', `state-${state}`) ?? state}</Badge>;
}

/** How much of a key's cap is used. */
export function Spent({ of: { spentUsd, spendingCapUsd } }: { of: KeyJson }) {
  if (spendingCapUsd === undefined) return <span class="muted">{t('keys.noCap')}</span>;
  return (
    <span class="keys-spent">
      <Money usd={spentUsd} /> <span class="muted">/</span> <Money usd={spendingCapUsd} />
    </span>
  );
}
