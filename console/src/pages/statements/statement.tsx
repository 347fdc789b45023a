import { Link } from 'wouter-preact';
import type { StatementJson, StatementMovementJson, UsageRowJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { monthNow, monthOf, monthTitle } from '../../days.ts';
import { findText, formatNumber, t } from '../../i18n/index.ts';
import { sumUsd } from '../../money.ts';
import { useRpc } from '../../query.ts';
import { Async, type Column, Curl, Money, Page, Section, Table } from '../../ui/index.ts';
import { Party, Print } from './party.tsx';

/** One month: opening balance, what came in, what usage cost, and what was left. */
export function StatementPage({ month: named }: { month: string | undefined }) {
  const now = monthNow();
  const month = named ?? now;
  const request = { month };
  const query = useRpc('WalletService.GetStatement', request);
  const next = monthOf(month, 1);
  return (
    <Page
      title={t('statements.title', { month: monthTitle(month) })}
      lead={t('statements.lead')}
      actions={
        <>
          <Link class="button" href={`/statements/${monthOf(month, -1)}`}>
            {monthTitle(monthOf(month, -1))}
          </Link>
          {next <= now && (
            <Link class="button" href={`/statements/${next}`}>
              {monthTitle(next)}
            </Link>
          )}
          <Print />
        </>
      }
    >
      <Section title={t('statements.balance')}>
        <Party />
        <Async query={query} lines={6}>
          {({ statement }) => (statement ? <Balance statement={statement} /> : null)}
        </Async>
      </Section>
      <Section title={t('statements.usage')}>
        <Async
          query={query}
          lines={6}
          isEmpty={({ statement }) => (statement?.usage ?? []).length === 0}
          empty={<p class="empty">{t('statements.usageNone')}</p>}
        >
          {({ statement }) => <Usage rows={statement?.usage ?? []} />}
        </Async>
      </Section>
      <Curl name="WalletService.GetStatement" request={request} />
    </Page>
  );
}

function Balance({ statement }: { statement: StatementJson }) {
  const { final, openingBalanceUsd, closingBalanceUsd, movements = [] } = statement;
  const columns: Column<StatementMovementJson>[] = [
    {
      id: 'kind',
      title: t('statements.what'),
      phone: 'title',
      cell: ({ kind = '' }) => findText('statements', `kind-${kind}`) ?? kind,
      total: t(final ? 'statements.closing' : 'statements.closingNow'),
    },
    {
      id: 'count',
      title: t('statements.count'),
      align: 'end',
      cell: ({ count }) => count && formatNumber(BigInt(count)),
    },
    {
      id: 'amount',
      title: t('statements.amount'),
      align: 'end',
      cell: ({ amountUsd }) => <Money usd={amountUsd} />,
      total: <Money usd={closingBalanceUsd} />,
    },
  ];
  const rows = [{ kind: 'opening', amountUsd: openingBalanceUsd ?? '' }, ...movements];
  return (
    <>
      <Table caption={t('statements.balance')} columns={columns} rows={rows} rowKey={({ kind }) => kind ?? ''} />
      <p class="muted">{t(final ? 'statements.final' : 'statements.notFinal')}</p>
    </>
  );
}

function Usage({ rows }: { rows: readonly UsageRowJson[] }) {
  const columns: Column<UsageRowJson>[] = [
    { id: 'operation', title: t('statements.operation'), phone: 'title', cell: ({ operation }) => operation },
    { id: 'model', title: t('statements.model'), cell: ({ model = '–' }) => model, total: t('statements.total') },
    {
      id: 'charges',
      title: t('statements.charges'),
      align: 'end',
      cell: ({ charges }) => charges && formatNumber(BigInt(charges)),
    },
    {
      id: 'cost',
      title: t('statements.amount'),
      align: 'end',
      cell: ({ costUsd }) => <Money usd={costUsd} />,
      total: <Money usd={sumUsd(rows.map(({ costUsd }) => costUsd))} />,
    },
  ];
  return (
    <Table
      caption={t('statements.usage')}
      columns={columns}
      rows={rows}
      rowKey={({ operation, provider, model }) => `${operation}/${provider}/${model}`}
    />
  );
}
