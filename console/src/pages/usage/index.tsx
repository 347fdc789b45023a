import './usage.css';
import { useMemo } from 'preact/hooks';
import type { GetUsageResponseJson, MetadataFilterJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import { apiUrl, httpRequest } from '../../api.ts';
import { useAllKeys } from '../../credentials/all-keys.ts';
import { FirstRequest } from '../../credentials/first-request.tsx';
import { dayText, lastDays } from '../../days.ts';
import { inSentence, t } from '../../i18n/index.ts';
import { useAllRows } from '../../paging.ts';
import { useRpc } from '../../query.ts';
import { Async, Banner, Curl, Page, Section, useFilters } from '../../ui/index.ts';
import { Figures } from './figures.tsx';
import { UsageFilters } from './filters.tsx';
import { GroupChart } from './group-chart.tsx';
import { GroupTable } from './group-table.tsx';
import { chargesOf, type Group, groups, groupsOf, type Metric, stepsOf, timesBefore, totalOf } from './sums.ts';

const rowsOf = ({ rows }: GetUsageResponseJson) => rows;

/** What a period cost, by group, and compared with the previous period. Filters are in the URL. */
export default function Usage() {
  const [filters, setFilters] = useFilters({
    days: '30',
    group: 'model',
    step: 'day',
    metric: 'cost',
    label: '',
    only: '',
  });
  const count = [1, 7, 30, 90, 365].find((days) => String(days) === filters.days) ?? 30;
  const group: Group = groups.find((name) => name === filters.group) ?? 'model';
  const step = filters.step === 'hour' && count <= 7 ? 'hour' : 'day';
  const metric: Metric = filters.metric === 'tokens' || filters.metric === 'requests' ? filters.metric : 'cost';
  const label = group === 'label' ? filters.label : '';
  const period = useMemo(() => lastDays(count), [count]);
  const metadata = labelOf(filters.only);

  const { first, last, startTime, endTime } = period;
  const request = {
    ...{ startTime, endTime, groupBy: group === 'label' ? [step] : [step, group] },
    ...(label !== '' && { groupByMetadata: label }),
    ...(metadata && { metadata }),
  };
  const before = useMemo(() => timesBefore(first, count, new Date()), [first, count]);
  const usage = useAllRows('WalletService.GetUsage', request, rowsOf);
  const earlier = useRpc('WalletService.GetUsage', { ...before, ...(metadata && { metadata }) });
  const keys = useAllKeys({ enabled: group === 'key' });
  const nameOf = (id: string | undefined): string => {
    if (id === undefined) return t('usage.without', { group: inSentence(t(`usage.by-${group}`)) });
    return group === 'key' ? (keys.data?.rows.find(({ keyId }) => keyId === id)?.displayName ?? id) : id;
  };
  const exported = httpRequest('WalletService.ExportUsage', { ...request, format: 'csv' });

  return (
    <Page
      title={t('usage.title')}
      lead={t('usage.lead', { first: dayText(first), last: dayText(last) })}
      actions={
        <a class="button" href={apiUrl(exported.path)} download="usage.csv">
          {t('usage.exportCsv')}
        </a>
      }
    >
      <UsageFilters values={{ ...filters, days: String(count), group, step }} set={setFilters} metadata={metadata} />
      <p class="muted small">{t('usage.settledHelp')}</p>
      <Async
        query={usage}
        lines={14}
        isEmpty={({ rows }) => rows.length === 0}
        empty={
          metadata ? (
            <Banner title={t('usage.empty')}>{t('usage.emptyHelp')}</Banner>
          ) : (
            <FirstRequest title={t('usage.empty')} help={t('usage.emptyHelp')} />
          )
        }
      >
        {({ rows, cut }) => {
          const total = totalOf(rows);
          const found = groupsOf(rows, group);
          if (!total || !found) return <p class="muted">–</p>;
          const title = t('usage.chart', { metric: t(`usage.${metric}`), group: inSentence(t(`usage.by-${group}`)) });
          return (
            <>
              {cut ? (
                <Banner kind="warning" title={t('usage.cut')}>
                  {t('usage.cutHelp')}
                </Banner>
              ) : (
                <Figures
                  total={total}
                  before={earlier.data && !earlier.error ? totalOf(earlier.data.rows ?? []) : undefined}
                  days={count}
                  metric={metric}
                  onMetric={(chosen) => setFilters({ metric: chosen })}
                />
              )}
              <Section title={title}>
                <GroupChart
                  label={title}
                  groups={found}
                  steps={stepsOf(first, last, step)}
                  metric={metric}
                  nameOf={nameOf}
                />
              </Section>
              <Section title={t(`usage.by-${group}`)}>
                <GroupTable
                  group={group}
                  groups={found}
                  total={cut ? undefined : total}
                  search={(id) => chargesOf(group, id, { first, last, label, metadata })}
                  nameOf={nameOf}
                />
              </Section>
            </>
          );
        }}
      </Async>
      <Curl name="WalletService.GetUsage" request={request} />
    </Page>
  );
}

/** `name=value`; undefined for what is neither. */
function labelOf(text: string): MetadataFilterJson | undefined {
  const at = text.indexOf('=');
  return at < 1 ? undefined : { key: text.slice(0, at), value: text.slice(at + 1) };
}
