import { Link } from 'wouter-preact';
import type { JourneyJson } from '../../../gen/intelligence/pulse/v1/report_pb';
import { dayText } from '../../days.ts';
import { t } from '../../i18n/index.ts';
import { useRowList } from '../../row-list.ts';
import { Async, type Column, Curl, More, Section, Table } from '../../ui/index.ts';
import { countText, Few, shareText } from './words.tsx';

const columns = (): Column<JourneyJson>[] => [
  {
    id: 'journey',
    title: t('pulse.journey'),
    phone: 'title',
    cell: ({ journey = '' }) => <Link href={`/pulse/${encodeURIComponent(journey)}`}>{journey}</Link>,
  },
  {
    id: 'sessions',
    title: t('pulse.sessions30'),
    align: 'end',
    cell: ({ sessionsLast30Days }) => countText(sessionsLast30Days),
  },
  {
    id: 'errors',
    title: t('pulse.errorRate'),
    align: 'end',
    cell: ({ errorRate, sessionsLast30Days }) => (
      <span>
        <Few sessions={sessionsLast30Days} /> {shareText(errorRate)}
      </span>
    ),
  },
  {
    id: 'active',
    title: t('pulse.lastActive'),
    align: 'end',
    cell: ({ lastActiveDay }) => (lastActiveDay === undefined ? '–' : dayText(lastActiveDay.slice(0, 10))),
  },
];

/** Every journey that events were recorded for. */
export function Journeys() {
  const list = useRowList('PulseService.ListJourneys', {}, (page) => page.journeys);
  return (
    <Section title={t('pulse.journeys')}>
      <Async query={list.query} lines={4} isEmpty={(rows) => rows.length === 0} empty={<NoJourney />}>
        {(rows) => (
          <>
            <Table
              caption={t('pulse.journeys')}
              columns={columns()}
              rows={rows}
              rowKey={({ journey = '' }) => journey}
            />
            <Curl name="PulseService.ListJourneys" request={{}} />
          </>
        )}
      </Async>
      <More list={list} />
    </Section>
  );
}

/** What an application has to send. */
const events = () => [
  {
    id: crypto.randomUUID(),
    journey: 'checkout',
    step: 'payment',
    kind: 'entered',
    sessionId: 'session-1',
    userId: 'user-42',
    occurredAt: new Date().toISOString(),
  },
];

function NoJourney() {
  return (
    <div class="pulse-none">
      <p>
        <strong>{t('pulse.none')}</strong>
      </p>
      <p class="muted">{t('pulse.noneHelp')}</p>
      <Curl name="PulseService.RecordEvents" request={{ events: events() }} credential="API_KEY" />
    </div>
  );
}
