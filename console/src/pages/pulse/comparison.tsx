import { useState } from 'preact/hooks';
import type { GetJourneyReportRequestJson } from '../../../gen/intelligence/pulse/v1/pulse_service_pb';
import type { ComparedMetricJson, SegmentShareJson } from '../../../gen/intelligence/pulse/v1/segment_pb';
import { findText, t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, Badge, type Column, Curl, Select, Table } from '../../ui/index.ts';
import { pointsText, shareText } from './words.tsx';

interface ComparisonProps {
  asked: GetJourneyReportRequestJson;
  property: string;
  values: readonly string[];
}

/** Two values of a property side by side, with how sure each difference is. */
export function Comparison({ asked, property, values }: ComparisonProps) {
  const all = [...values, '(other)', '(none)'];
  const [first, setFirst] = useState(all[0] ?? '');
  const [second, setSecond] = useState('');
  const request = {
    journey: asked.journey ?? '',
    property,
    first,
    ...(second !== '' && { second }),
    ...(asked.from && { from: asked.from }),
    ...(asked.to && { to: asked.to }),
    ...(asked.goal && { goal: asked.goal }),
  };
  const query = useRpc('PulseService.CompareSegments', request);
  const named = (name: string) => ({ value: name, label: name });
  return (
    <>
      <h3>{t('pulse.compare')}</h3>
      <div class="filters">
        <Select
          label={t('pulse.first')}
          value={first}
          options={all.filter((each) => each !== second).map(named)}
          onValue={setFirst}
        />
        <Select
          label={t('pulse.second')}
          value={second}
          options={[{ value: '', label: t('pulse.allOthers') }, ...all.filter((each) => each !== first).map(named)]}
          onValue={setSecond}
        />
      </div>
      <Async query={query} lines={5}>
        {({ metrics = [] }) => (
          <>
            <Table
              caption={t('pulse.compare')}
              columns={columnsOf(first, second === '' ? t('pulse.allOthers') : second)}
              rows={metrics}
              rowKey={({ metric, step }) => `${metric} ${step}`}
            />
            <Curl name="PulseService.CompareSegments" request={request} />
          </>
        )}
      </Async>
    </>
  );
}

function columnsOf(first: string, second: string): Column<ComparedMetricJson>[] {
  return [
    {
      id: 'metric',
      title: t('pulse.metric'),
      phone: 'title',
      cell: ({ metric = '', step = '' }) => findText('pulse', `metric-${metric}`, { step }) ?? metric,
    },
    { id: 'first', title: first, align: 'end', cell: ({ first: share }) => <Share share={share ?? {}} /> },
    { id: 'second', title: second, align: 'end', cell: ({ second: share }) => <Share share={share ?? {}} /> },
    {
      id: 'difference',
      title: t('pulse.difference'),
      align: 'end',
      cell: ({ difference }) =>
        difference ? (
          <span class="pulse-share">
            <span>
              {pointsText(difference.value ?? 0)}{' '}
              {difference.significant ? (
                <Badge kind="warning">{t('pulse.significant')}</Badge>
              ) : (
                <Badge kind="plain">{t('pulse.notSignificant')}</Badge>
              )}
            </span>
            <span class="muted small">
              {t('pulse.interval', {
                low: pointsText(difference.low ?? 0),
                high: pointsText(difference.high ?? 0),
              })}
            </span>
          </span>
        ) : (
          '–'
        ),
    },
  ];
}

function Share({ share: { share, low, high, whole } }: { share: SegmentShareJson }) {
  return (
    <span class="pulse-share">
      <span>{shareText(share)}</span>
      {whole !== '0' && (
        <span class="muted small">{t('pulse.interval', { low: shareText(low ?? 0), high: shareText(high ?? 0) })}</span>
      )}
    </span>
  );
}
