import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { AccountSummaryJson } from '../../../gen/intelligence/account/v1/account_service_pb';
import { t } from '../../i18n/index.ts';
import { sumUsd } from '../../money.ts';
import { useRowList } from '../../row-list.ts';
import {
  Async,
  Badge,
  Button,
  type Column,
  Curl,
  Field,
  Filters,
  Money,
  More,
  Page,
  Section,
  Select,
  Table,
  Time,
  useFilters,
} from '../../ui/index.ts';
import { NewAccount } from './new-account.tsx';

/** How long to wait for typing to stop. */
const typingMs = 300;

/** Every account, or those matching a search. */
export function AccountList() {
  const [{ search, state }, setFilters] = useFilters({ search: '', state: '' });
  const [typed, setTyped] = useState(search);
  const [creating, setCreating] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => {
      if (typed !== search) setFilters({ search: typed });
    }, typingMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const request = { ...(search !== '' && { search }), ...(state !== '' && { state }) };
  const list = useRowList('AccountService.ListAccounts', request, ({ accounts }) => accounts);
  const isNarrow = search !== '' || state !== '';
  return (
    <Page
      title={t('operator-accounts.title')}
      lead={t('operator-accounts.lead')}
      actions={
        <Button kind="primary" onClick={() => setCreating(true)}>
          {t('operator-accounts.create')}
        </Button>
      }
    >
      <Filters label={t('operator-accounts.search')}>
        <Field
          label={t('operator-accounts.search')}
          type="search"
          placeholder={t('operator-accounts.searchHelp')}
          maxLength={200}
          size={32}
          value={typed}
          onValue={setTyped}
        />
        <Select
          label={t('operator-accounts.state')}
          value={state}
          options={[
            { value: '', label: t('common.all') },
            { value: 'active', label: t('operator-accounts.active') },
            { value: 'suspended', label: t('operator-accounts.suspended') },
          ]}
          onValue={(value) => setFilters({ state: value })}
        />
      </Filters>
      <Section title={t('operator-accounts.list')}>
        <Async query={list.query} lines={8}>
          {(rows) => (
            <Table
              caption={t('operator-accounts.list')}
              columns={columnsOf(rows)}
              rows={rows}
              rowKey={({ account }) => account?.accountId ?? ''}
              empty={<p class="empty">{isNarrow ? t('operator-accounts.noneFound') : t('operator-accounts.none')}</p>}
            />
          )}
        </Async>
        <More list={list} />
        <Curl name="AccountService.ListAccounts" request={request} credential="OPERATOR_TOKEN" />
      </Section>
      {creating && <NewAccount onClose={() => setCreating(false)} />}
    </Page>
  );
}

function columnsOf(rows: readonly AccountSummaryJson[]): Column<AccountSummaryJson>[] {
  return [
    {
      id: 'name',
      title: t('operator-accounts.name'),
      phone: 'title',
      cell: ({ account }) => (
        <span>
          <Link href={`/accounts/${account?.accountId}`}>{account?.displayName}</Link>{' '}
          {account?.suspendTime && <Badge kind="danger">{t('operator-accounts.suspended')}</Badge>}
          <span class="operator-accounts-id">{account?.accountId}</span>
        </span>
      ),
      total: t('common.total'),
    },
    {
      id: 'balance',
      title: t('operator-accounts.balance'),
      align: 'end',
      cell: ({ balanceUsd }) => <Money usd={balanceUsd} />,
      total: <Money usd={sumUsd(rows.map(({ balanceUsd }) => balanceUsd))} />,
    },
    {
      id: 'owed',
      title: t('operator-accounts.owed'),
      align: 'end',
      cell: ({ owedUsd }) => <Money usd={owedUsd} />,
      total: <Money usd={sumUsd(rows.map(({ owedUsd }) => owedUsd))} />,
    },
    {
      id: 'cost',
      title: t('operator-accounts.cost'),
      align: 'end',
      cell: ({ cost30DaysUsd }) => <Money usd={cost30DaysUsd} />,
      total: <Money usd={sumUsd(rows.map(({ cost30DaysUsd }) => cost30DaysUsd))} />,
    },
    { id: 'used', title: t('operator-accounts.lastUse'), cell: ({ lastUsedTime }) => <Time at={lastUsedTime} /> },
  ];
}
