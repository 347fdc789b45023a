import type { StepErrorJson } from '../../../gen/intelligence/pulse/v1/report_pb';
import { t } from '../../i18n/index.ts';
import { type Column, Table, Time } from '../../ui/index.ts';
import { countOf, countText, shareText } from './words.tsx';

const columns = (isOfSegment: boolean): Column<StepErrorJson>[] => [
  { id: 'code', title: t('pulse.code'), phone: 'title', cell: ({ code }) => <code>{code}</code> },
  { id: 'step', title: t('pulse.step'), cell: ({ step }) => step },
  { id: 'sessions', title: t('pulse.sessions'), align: 'end', cell: ({ sessions }) => countText(sessions) },
  { id: 'rate', title: t('pulse.rate'), align: 'end', cell: ({ rate }) => shareText(rate) },
  {
    id: 'recovered',
    title: t('pulse.recovered'),
    align: 'end',
    cell: ({ recoveredSessions }) => countText(recoveredSessions),
  },
  {
    id: 'occurrences',
    title: t('pulse.occurrences'),
    align: 'end',
    // In a segment, errors count only sessions.
    cell: ({ occurrences }) => (isOfSegment ? '–' : countText(occurrences)),
  },
  { id: 'first', title: t('pulse.firstSeen'), align: 'end', cell: ({ firstSeen }) => <Time at={firstSeen} /> },
  { id: 'last', title: t('pulse.lastSeen'), align: 'end', cell: ({ lastSeen }) => <Time at={lastSeen} /> },
];

/** The errors that sessions met, most frequent first. */
export function Errors({ errors }: { errors: readonly StepErrorJson[] }) {
  const isOfSegment = errors.every(({ occurrences }) => countOf(occurrences) === 0n);
  return (
    <Table
      caption={t('pulse.errorTable')}
      columns={columns(isOfSegment)}
      rows={errors}
      rowKey={({ step, code }) => `${step} ${code}`}
      empty={<p class="empty">{t('pulse.noErrors')}</p>}
    />
  );
}
