import { Link } from 'wouter-preact';
import type { GetJourneyReportRequestJson } from '../../../gen/intelligence/pulse/v1/pulse_service_pb';
import { t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { FilterChip, Filters, Page, Select, useFilters } from '../../ui/index.ts';
import { Alerts } from './alerts.tsx';
import { Declaration } from './declaration.tsx';
import { Differences } from './differences.tsx';
import { Report } from './report.tsx';
import { Segments } from './segments.tsx';
import { lastPeriod } from './words.tsx';

const periods = ['1', '7', '30', '90'] as const;

/** One journey: its report, its segments, its alerts, and its expected order. */
export function JourneyPage({ journey }: { journey: string }) {
  const [filters, setFilters] = useFilters({ days: '7', goal: '', property: '', value: '', by: '' });
  const days = periods.find((each) => each === filters.days) ?? '7';
  const period = lastPeriod(Number(days));
  const isOfSegment = filters.property !== '' && filters.value !== '';
  const ofSegment = isOfSegment && { property: filters.property, value: filters.value };
  const asked: GetJourneyReportRequestJson = {
    journey,
    ...period,
    ...(filters.goal !== '' && { goal: filters.goal }),
  };
  const request = { ...asked, groupBy: days === '1' ? 'hour' : 'day', ...ofSegment };
  const query = useRpc('PulseService.GetJourneyReport', request);
  const steps = (query.data?.funnel ?? []).map(({ step = '' }) => step);
  // The requested goal can be chosen even if no session reached it.
  const goals = filters.goal === '' || steps.includes(filters.goal) ? steps : [...steps, filters.goal];
  return (
    <Page
      title={journey}
      actions={
        <Link class="button" href="/pulse">
          {t('pulse.allJourneys')}
        </Link>
      }
    >
      <Filters label={t('pulse.filters')}>
        <Select
          label={t('pulse.period')}
          value={days}
          options={periods.map((each) => ({ value: each, label: t(`pulse.period-${each}`) }))}
          onValue={(to) => setFilters({ days: to })}
        />
        <Select
          label={t('pulse.goal')}
          value={filters.goal}
          options={[
            { value: '', label: t('pulse.goalDefault') },
            ...goals.map((step) => ({ value: step, label: step })),
          ]}
          onValue={(goal) => setFilters({ goal })}
        />
        {isOfSegment && (
          <FilterChip
            name={t('pulse.segment', { property: filters.property, value: filters.value })}
            onRemove={() => setFilters({ property: '', value: '' })}
          />
        )}
      </Filters>
      <Report query={query} request={request} />
      <Segments
        asked={asked}
        by={filters.by}
        onBy={(by) => setFilters({ by })}
        onSegment={(property, value) => setFilters({ property, value })}
      />
      <Differences asked={asked} />
      <Alerts journey={journey} />
      <Declaration journey={journey} />
    </Page>
  );
}
