import { useState } from 'preact/hooks';
import type { KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { ChargeJson, EntryJson, UsageRowJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import type { GetUsageResponseJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import type { RpcName } from '../../api.ts';
import { lastDays } from '../../days.ts';
import { findText, formatNumber, t } from '../../i18n/index.ts';
import { sumUsd } from '../../money.ts';
import { useAllRows } from '../../paging.ts';
import { type RowList, useRowList } from '../../row-list.ts';
import { Async, Badge, type Column, Curl, Money, More, Section, Table, Time } from '../../ui/index.ts';

const usageOf = ({ rows }: GetUsageResponseJson) => rows;

interface OfAccount {
  accountId: string;
}

/** What each model cost in thirty UTC days; the sum equals that of the wallet's entries. */
export function Usage({ accountId }: OfAccount) {
  const [{ startTime, endTime }] = useState(() => lastDays(30));
  const request = { accountId, startTime, endTime, groupBy: ['model'] };
  const query = useAllRows('WalletService.GetUsage', request, usageOf);
  return (
    <Section title={t('operator-accounts.usage')}>
      <Async query={query} lines={5} isEmpty={({ rows }) => rows.length === 0} empty={noUsage()}>
        {({ rows }) => (
          <Table
            caption={t('operator-accounts.usage')}
            columns={usageColumns(rows)}
            rows={rows}
            rowKey={({ model = '' }) => model}
          />
        )}
      </Async>
      <Curl name="WalletService.GetUsage" request={request} credential="OPERATOR_TOKEN" />
    </Section>
  );
}

function noUsage() {
  return <p class="empty">{t('operator-accounts.noUsage')}</p>;
}

function usageColumns(rows: readonly UsageRowJson[]): Column<UsageRowJson>[] {
  return [
    {
      id: 'model',
      title: t('operator-accounts.model'),
      phone: 'title',
      cell: ({ model }) => model ?? t('operator-accounts.noModel'),
      total: t('common.total'),
    },
    {
      id: 'requests',
      title: t('operator-accounts.requests'),
      align: 'end',
      cell: ({ charges = '0' }) => formatNumber(BigInt(charges)),
      total: formatNumber(rows.reduce((sum, { charges = '0' }) => sum + BigInt(charges), 0n)),
    },
    {
      id: 'cost',
      title: t('operator-accounts.charged'),
      align: 'end',
      cell: ({ costUsd }) => <Money usd={costUsd} />,
      total: <Money usd={sumUsd(rows.map(({ costUsd }) => costUsd))} />,
    },
  ];
}

/** The account's keys, read-only. */
export function KeyList({ accountId }: OfAccount) {
  const list = useRowList('KeyService.ListKeys', { accountId }, ({ keys }) => keys);
  return (
    <Paged<KeyJson>
      title={t('operator-accounts.keys')}
      name="KeyService.ListKeys"
      list={list}
      request={{ accountId }}
      rowKey={({ keyId = '' }) => keyId}
      columns={[
        {
          id: 'key',
          title: t('operator-accounts.keyName'),
          phone: 'title',
          cell: ({ displayName, lastFour, keyId }) => (
            <span>
              {displayName} <code class="muted">…{lastFour}</code>
              <span class="operator-accounts-id">{keyId}</span>
            </span>
          ),
        },
        {
          id: 'state',
          title: t('operator-accounts.state'),
          cell: ({ state = '' }) => (
            <Badge kind={state === 'active' ? 'good' : 'plain'}>
              {findText('operator-accounts', `key-${state}`) ?? state}
            </Badge>
          ),
        },
        { id: 'used', title: t('operator-accounts.lastUse'), cell: ({ lastUsedTime }) => <Time at={lastUsedTime} /> },
      ]}
    />
  );
}

/** The latest charges of the account. */
export function Charges({ accountId }: OfAccount) {
  const list = useRowList('WalletService.ListCharges', { accountId, pageSize: 20 }, ({ charges }) => charges);
  return (
    <Paged<ChargeJson>
      title={t('operator-accounts.charges')}
      name="WalletService.ListCharges"
      list={list}
      request={{ accountId }}
      rowKey={({ chargeId = '' }) => chargeId}
      empty={t('operator-accounts.noCharges')}
      columns={[
        {
          id: 'what',
          title: t('operator-accounts.operation'),
          phone: 'title',
          cell: ({ operation, chargeId }) => (
            <span>
              {operation}
              <span class="operator-accounts-id">{chargeId}</span>
            </span>
          ),
        },
        { id: 'time', title: t('operator-accounts.time'), cell: ({ createTime }) => <Time at={createTime} /> },
        {
          id: 'state',
          title: t('operator-accounts.chargeState'),
          cell: ({ state = '' }) => (
            <Badge kind="plain">{findText('operator-accounts', `charge-${state}`) ?? state}</Badge>
          ),
        },
        {
          id: 'charged',
          title: t('operator-accounts.charged'),
          align: 'end',
          cell: ({ chargedUsd }) => <Money usd={chargedUsd} />,
        },
      ]}
    />
  );
}

/** The entries of the wallet, each with the balance after it. */
export function Entries({ accountId }: OfAccount) {
  const list = useRowList('WalletService.ListEntries', { accountId, pageSize: 20 }, ({ entries }) => entries);
  return (
    <Paged<EntryJson>
      title={t('operator-accounts.entries')}
      name="WalletService.ListEntries"
      list={list}
      request={{ accountId }}
      rowKey={({ entryId = '' }) => entryId}
      columns={[
        {
          id: 'what',
          title: t('operator-accounts.entry'),
          phone: 'title',
          cell: ({ kind = '', chargeId, topUpId, adjustmentId }) => (
            <span>
              {findText('operator-accounts', `entry-${kind}`) ?? kind}
              <span class="operator-accounts-id">{chargeId ?? topUpId ?? adjustmentId}</span>
            </span>
          ),
        },
        { id: 'time', title: t('operator-accounts.time'), cell: ({ time }) => <Time at={time} /> },
        {
          id: 'amount',
          title: t('operator-accounts.amount'),
          align: 'end',
          cell: ({ amountUsd }) => <Money usd={amountUsd} />,
        },
        {
          id: 'after',
          title: t('operator-accounts.balanceAfter'),
          align: 'end',
          cell: ({ balanceAfterUsd }) => <Money usd={balanceAfterUsd} />,
        },
      ]}
    />
  );
}

interface PagedProps<Row> {
  title: string;
  name: RpcName & ('KeyService.ListKeys' | 'WalletService.ListCharges' | 'WalletService.ListEntries');
  request: OfAccount;
  list: RowList<Row>;
  columns: readonly Column<Row>[];
  rowKey: (row: Row) => string;
  empty?: string;
}

function Paged<Row>({ title, name, request, list, columns, rowKey, empty = t('common.empty') }: PagedProps<Row>) {
  return (
    <Section title={title}>
      <Async query={list.query} lines={6}>
        {(rows) => (
          <Table caption={title} columns={columns} rows={rows} rowKey={rowKey} empty={<p class="empty">{empty}</p>} />
        )}
      </Async>
      <More list={list} />
      <Curl name={name} request={request} credential="OPERATOR_TOKEN" />
    </Section>
  );
}
