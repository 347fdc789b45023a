import type { ComponentChildren } from 'preact';
import type { JourneyTotalsJson, TrendJson } from '../../../gen/intelligence/pulse/v1/report_pb';
import { t } from '../../i18n/index.ts';
import { changeText, countText, pointsText, secondsText, shareText } from './words.tsx';

/** The journey as a whole, compared with the previous period. */
export function Figures({ totals, trend }: { totals: JourneyTotalsJson; trend: TrendJson }) {
  const { sessions, completed, abandoned, erroredSessions, active, duration } = totals;
  const of = (part: string | undefined) => t('pulse.ofSessions', { part: countText(part), whole: countText(sessions) });
  return (
    <dl class="cards">
      <Figure
        name={t('pulse.sessions')}
        value={countText(sessions)}
        trend={shareTrend(trend.sessionsChange)}
        note={
          <>
            {t('pulse.active', { count: Number(active ?? 0) })}
            {duration && (
              <>
                <br />
                {t('pulse.duration', {
                  p50: secondsText(duration.p50Seconds),
                  p90: secondsText(duration.p90Seconds),
                })}
              </>
            )}
          </>
        }
      />
      <Figure
        name={t('pulse.conversion')}
        value={shareText(totals.conversion)}
        trend={pointTrend(trend.conversionChange)}
        note={of(completed)}
      />
      <Figure
        name={t('pulse.abandoned')}
        value={shareText(totals.abandonmentRate)}
        trend={pointTrend(trend.abandonmentRateChange)}
        note={of(abandoned)}
      />
      <Figure
        name={t('pulse.withErrors')}
        value={shareText(totals.errorRate)}
        trend={pointTrend(trend.errorRateChange)}
        note={of(erroredSessions)}
      />
    </dl>
  );
}

interface FigureProps {
  name: string;
  value: string;
  trend: string;
  note: ComponentChildren;
}

function Figure({ name, value, trend, note }: FigureProps) {
  return (
    <div class="card figure">
      <dt>{name}</dt>
      <dd>{value}</dd>
      <dd class="pulse-note">{trend}</dd>
      <dd class="pulse-note muted">{note}</dd>
    </div>
  );
}

function shareTrend(change: number | string | undefined): string {
  return change === undefined ? t('pulse.trendNone') : t('pulse.trendShare', { change: changeText(change) });
}

function pointTrend(change: number | string | undefined): string {
  return change === undefined ? t('pulse.trendNone') : t('pulse.trendPoints', { change: pointsText(change) });
}
