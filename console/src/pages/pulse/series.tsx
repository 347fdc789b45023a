import type { JourneyReportJson, JourneyTotalsJson } from '../../../gen/intelligence/pulse/v1/report_pb';
import { dayOf, dayText } from '../../days.ts';
import { formatNumber, t } from '../../i18n/index.ts';
import { Chart } from '../../ui/index.ts';
import { countOf, countText } from './words.tsx';

interface SeriesProps {
  report: JourneyReportJson;
  by: 'hour' | 'day';
}

const hourMs = 3_600_000;

/** Sessions over the period. The API leaves out times without any, which are zero. */
export function SessionSeries({ report: { from = '', to = '', series = [] }, by }: SeriesProps) {
  const byStart = new Map(series.map(({ start = '', totals }) => [Date.parse(start), totals ?? {}]));
  const starts = startsOf(Date.parse(from), Date.parse(to), by);
  const line = (id: string, label: string, count: (totals: JourneyTotalsJson) => string | undefined) => {
    const counts = starts.map((start) => count(byStart.get(start) ?? {}));
    return {
      ...{ id, label },
      values: counts.map((each) => Number(countOf(each))),
      texts: counts.map((each) => countText(each)),
    };
  };
  return (
    <>
      <Chart
        label={t('pulse.series')}
        kind="lines"
        categories={starts.map((start) => nameOf(start, by))}
        series={[
          line('sessions', t('pulse.sessions'), ({ sessions }) => sessions),
          line('completed', t('pulse.completed'), ({ completed }) => completed),
          line('abandoned', t('pulse.abandoned'), ({ abandoned }) => abandoned),
        ]}
        tickText={(value) => (Number.isInteger(value) ? formatNumber(value) : '')}
      />
      <p class="muted small">{by === 'hour' ? t('pulse.seriesHours') : t('pulse.seriesDays')}</p>
    </>
  );
}

/** Each hour or UTC day that the period touches. */
function startsOf(from: number, to: number, by: 'hour' | 'day'): number[] {
  const unit = by === 'hour' ? hourMs : 24 * hourMs;
  const first = Math.floor(from / unit) * unit;
  return Array.from({ length: Math.max(0, Math.ceil((to - first) / unit)) }, (_, index) => first + index * unit);
}

function nameOf(start: number, by: 'hour' | 'day'): string {
  const time = new Date(start);
  return by === 'day' ? dayText(dayOf(time)) : `${String(time.getUTCHours()).padStart(2, '0')}:00`;
}
