import type { UseQueryResult } from '@tanstack/preact-query';
import type { GetJourneyReportRequestJson } from '../../../gen/intelligence/pulse/v1/pulse_service_pb';
import type { JourneyReportJson } from '../../../gen/intelligence/pulse/v1/report_pb';
import type { ApiFailure } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { Async, Banner, Curl, Section } from '../../ui/index.ts';
import { Errors } from './errors.tsx';
import { Figures } from './figures.tsx';
import { Funnel } from './funnel.tsx';
import { nextActionText } from './next-action.ts';
import { SessionSeries } from './series.tsx';
import { Stalls } from './stalls.tsx';
import { countOf, isFew } from './words.tsx';

interface ReportProps {
  query: UseQueryResult<JourneyReportJson, ApiFailure>;
  request: GetJourneyReportRequestJson;
}

/** What happened to the sessions of a period, and the one thing to do next. */
export function Report({ query, request }: ReportProps) {
  return (
    <Async query={query} lines={14}>
      {(report) =>
        countOf(report.totals?.sessions) === 0n ? (
          <section class="card">
            <div class="empty">
              <p>
                <strong>{t('pulse.noneInPeriod')}</strong>
              </p>
              <p>{t('pulse.noneInPeriodHelp')}</p>
            </div>
            <Curl name="PulseService.GetJourneyReport" request={request} />
          </section>
        ) : (
          <>
            <Banner title={t('pulse.doNext')}>
              {nextActionText(report.nextBestAction ?? '') ?? <span lang="en">{report.nextBestAction}</span>}
            </Banner>
            {isFew(report.totals?.sessions) && (
              <Banner kind="warning" title={t('pulse.fewTitle', { count: Number(report.totals?.sessions) })}>
                {t('pulse.fewText')}
              </Banner>
            )}
            <Figures totals={report.totals ?? {}} trend={report.trend ?? {}} />
            <Section title={t('pulse.funnel')}>
              <Funnel report={report} />
              <Curl name="PulseService.GetJourneyReport" request={request} />
            </Section>
            <Section title={t('pulse.series')}>
              <SessionSeries report={report} by={request.groupBy === 'hour' ? 'hour' : 'day'} />
            </Section>
            <Section title={t('pulse.errorTable')}>
              <Errors errors={report.errors ?? []} />
            </Section>
            <Section title={t('pulse.stalls')}>
              <Stalls stalls={report.stalls ?? []} norm={report.norm} />
            </Section>
          </>
        )
      }
    </Async>
  );
}
