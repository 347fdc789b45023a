import { Link } from 'wouter-preact';
import type { EntryJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import type {
  ListEntriesRequestJson,
  ListEntriesResponseJson,
} from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import { apiUrl, httpRequest } from '../../api.ts';
import { lastDays } from '../../days.ts';
import { findText, t } from '../../i18n/index.ts';
import { sumUsd } from '../../money.ts';
import { useRowList } from '../../row-list.ts';
import {
  Async,
  type Column,
  Curl,
  Filters,
  Money,
  More,
  Section,
  Select,
  Table,
  Time,
  useFilters,
} from '../../ui/index.ts';

const kinds = ['top_up', 'usage', 'refund', 'dispute', 'adjustment'] as const;
const days = ['7', '30', '90', '365'] as const;
const entriesOf = ({ entries }: ListEntriesResponseJson) => entries;

/** Every movement of the balance, with the balance after it. */
export function Entries() {
  const [filters, setFilters] = useFilters({ kind: '', days: '' });
  const range = timesOf(filters.days);
  const kind = kinds.find((each) => each === filters.kind);
  const request: ListEntriesRequestJson = { ...range, ...(kind && { kinds: [kind] }), pageSize: 25 };
  const list = useRowList('WalletService.ListEntries', request, entriesOf);
  const exportOf = (format: string) => apiUrl(httpRequest('WalletService.ExportEntries', { ...range, format }).path);
  return (
    <Section
      title={t('credit.entries')}
      folds
      actions={
        <Filters label={t('credit.entries')}>
          <Select
            label={t('credit.kind')}
            quiet
            value={filters.kind}
            onValue={(value) => setFilters({ kind: value })}
            options={[
              { value: '', label: t('credit.kindAll') },
              ...kinds.map((value) => ({ value, label: findText('credit', `kind-${value}`) ?? value })),
            ]}
          />
          <Select
            label={t('credit.time')}
            quiet
            value={filters.days}
            onValue={(value) => setFilters({ days: value })}
            options={[
              { value: '', label: t('credit.timeAll') },
              ...days.map((value) => ({ value, label: t('credit.timeDays', { count: Number(value) }) })),
            ]}
          />
        </Filters>
      }
    >
      <p class="muted">{t('credit.entriesHelp')}</p>
      <Async
        query={list.query}
        lines={8}
        isEmpty={(rows) => rows.length === 0}
        empty={<p class="empty">{t('credit.entriesNone')}</p>}
      >
        {(rows) => (
          <Table
            caption={t('credit.entries')}
            columns={columns(rows)}
            rows={rows}
            rowKey={({ entryId }) => entryId ?? ''}
          />
        )}
      </Async>
      <More list={list} />
      <div class="credit-export">
        <a class="button" href={exportOf('csv')} download>
          {t('credit.exportCsv')}
        </a>
        <a class="button" href={exportOf('jsonl')} download>
          {t('credit.exportJson')}
        </a>
        <span class="muted small">{t('credit.exportHelp')}</span>
      </div>
      <Curl name="WalletService.ListEntries" request={request} />
    </Section>
  );
}

/** The start of the day that many days ago; none: from the first entry on. */
function timesOf(chosen: string): { startTime?: string } {
  return (days as readonly string[]).includes(chosen) ? { startTime: lastDays(Number(chosen)).startTime } : {};
}

function columns(rows: readonly EntryJson[]): Column<EntryJson>[] {
  return [
    {
      id: 'time',
      title: t('credit.time'),
      cell: ({ time }) => <Time at={time} />,
    },
    {
      id: 'kind',
      title: t('credit.kind'),
      phone: 'title',
      cell: ({ kind = '' }) => findText('credit', `kind-${kind}`) ?? kind,
      total: t('credit.shownSum'),
    },
    { id: 'what', title: t('credit.what'), phone: 'hidden', cell: (entry) => <Source of={entry} /> },
    {
      id: 'amount',
      title: t('credit.amountColumn'),
      align: 'end',
      cell: ({ amountUsd }) => <Money usd={amountUsd} />,
      total: <Money usd={sumUsd(rows.map(({ amountUsd }) => amountUsd))} />,
    },
    {
      id: 'after',
      title: t('credit.balanceAfter'),
      align: 'end',
      cell: ({ balanceAfterUsd }) => <Money usd={balanceAfterUsd} />,
    },
  ];
}

/** The source of an entry, by its id. */
function Source({ of: { chargeId, topUpId, adjustmentId } }: { of: EntryJson }) {
  if (chargeId)
    return (
      <Link href={`/charges/${chargeId}`}>
        <code>{chargeId}</code>
      </Link>
    );
  if (topUpId)
    return (
      <Link href={`/credit/${topUpId}`}>
        <code>{topUpId}</code>
      </Link>
    );
  return <code>{adjustmentId}</code>;
}
