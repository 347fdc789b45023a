import { useState } from 'preact/hooks';
import type { GetJourneyReportRequestJson } from '../../../gen/intelligence/pulse/v1/pulse_service_pb';
import type { DifferenceJson } from '../../../gen/intelligence/pulse/v1/segment_pb';
import { t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, type Column, Curl, Section, Select, Table } from '../../ui/index.ts';
import { shareText } from './words.tsx';

const losses = ['abandoned', 'not_converted', 'errored'] as const;

const columns = (): Column<DifferenceJson>[] => [
  {
    id: 'segment',
    title: t('pulse.segmentName'),
    phone: 'title',
    cell: ({ property = '', value = '' }) => t('pulse.segment', { property, value }),
  },
  {
    id: 'lost',
    title: t('pulse.lostOf'),
    align: 'end',
    cell: ({ lost = '0', sessions = '0', rate }) =>
      `${shareText(rate ?? 0)} (${t('pulse.ofSessions', { part: lost, whole: sessions })})`,
  },
  { id: 'others', title: t('pulse.others'), align: 'end', cell: ({ rateOfOthers }) => shareText(rateOfOthers ?? 0) },
  {
    id: 'explains',
    title: t('pulse.explains'),
    align: 'end',
    cell: ({ explained, explainedAtLeast }) =>
      t('pulse.explainsText', { explained: shareText(explained ?? 0), least: shareText(explainedAtLeast ?? 0) }),
  },
  { id: 'step', title: t('pulse.whereMost'), cell: ({ step }) => step?.step ?? '–' },
  {
    id: 'error',
    title: t('pulse.whichError'),
    cell: ({ error }) =>
      error ? (
        <span>
          <code>{error.code}</code> {shareText(error.rate ?? 0)}
        </span>
      ) : (
        '–'
      ),
  },
];

/** Which segments explain the loss. */
export function Differences({ asked }: { asked: GetJourneyReportRequestJson }) {
  const [loss, setLoss] = useState<string>(losses[0]);
  const request = { ...asked, journey: asked.journey ?? '', loss };
  const query = useRpc('PulseService.FindDifferences', request);
  return (
    <Section title={t('pulse.differences')}>
      <p class="muted">{t('pulse.differencesHelp')}</p>
      <div class="filters">
        <Select
          label={t('pulse.loss')}
          value={loss}
          options={losses.map((each) => ({ value: each, label: t(`pulse.loss-${each}`) }))}
          onValue={setLoss}
        />
      </div>
      <Async query={query} lines={3}>
        {({ differences = [], tested = 0, tooSmall = 0 }) => (
          <>
            <Table
              caption={t('pulse.differences')}
              columns={columns()}
              rows={differences}
              rowKey={({ property, value }) => `${property} ${value}`}
              empty={<p class="empty">{t('pulse.differencesNone')}</p>}
            />
            <p class="muted small">{t('pulse.differencesTested', { tested, small: tooSmall })}</p>
            <Curl name="PulseService.FindDifferences" request={request} />
          </>
        )}
      </Async>
    </Section>
  );
}
