import { useState } from 'preact/hooks';
import type { GetJourneyReportRequestJson } from '../../../gen/intelligence/pulse/v1/pulse_service_pb';
import type { SegmentTotalsJson } from '../../../gen/intelligence/pulse/v1/report_pb';
import { t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, Button, type Column, Curl, Section, Select, Table } from '../../ui/index.ts';
import { Comparison } from './comparison.tsx';
import { PropertiesDialog } from './properties.tsx';
import { countText, Few, shareText } from './words.tsx';

interface SegmentsProps {
  /** The journey, the period and the goal. */
  asked: GetJourneyReportRequestJson;
  /** The property that breaks down the report; empty: none yet. */
  by: string;
  onBy: (property: string) => void;
  /** Opens the report of one value. */
  onSegment: (property: string, value: string) => void;
}

/** The report broken down by a declared property, and two of its values side by side. */
export function Segments({ asked, by, onBy, onSegment }: SegmentsProps) {
  const properties = useRpc('PulseService.ListProperties', {});
  const [declared, setDeclared] = useState<readonly string[]>();
  const names = (properties.data?.properties ?? []).map(({ property = '' }) => property);
  return (
    <Section
      title={t('pulse.segments')}
      actions={properties.data && <Button onClick={() => setDeclared(names)}>{t('pulse.declareProperties')}</Button>}
    >
      <p class="muted">{t('pulse.segmentsHelp')}</p>
      <Async
        query={properties}
        lines={2}
        isEmpty={() => names.length === 0}
        empty={<p class="empty">{t('pulse.propertiesNone')}</p>}
      >
        {({ properties: all = [] }) => (
          <>
            <div class="filters">
              <Select
                label={t('pulse.by')}
                value={by}
                options={[
                  { value: '', label: t('pulse.byNone') },
                  ...names.map((name) => ({ value: name, label: name })),
                ]}
                onValue={onBy}
              />
            </div>
            {names.includes(by) && (
              <>
                <SegmentTable asked={asked} by={by} onSegment={onSegment} />
                <Comparison
                  key={by}
                  asked={asked}
                  property={by}
                  values={all.find(({ property }) => property === by)?.values ?? []}
                />
              </>
            )}
          </>
        )}
      </Async>
      <PropertiesDialog declared={declared} onClose={() => setDeclared(undefined)} />
    </Section>
  );
}

type SegmentTableProps = Pick<SegmentsProps, 'asked' | 'by' | 'onSegment'>;

function SegmentTable({ asked, by, onSegment }: SegmentTableProps) {
  const request = { ...asked, breakDownBy: by };
  const query = useRpc('PulseService.GetJourneyReport', request);
  const columns: Column<SegmentTotalsJson>[] = [
    {
      id: 'value',
      title: t('pulse.value'),
      phone: 'title',
      cell: ({ value = '' }) => (
        <button
          type="button"
          class="pulse-link"
          aria-label={t('pulse.onlyThis', { property: by, value })}
          onClick={() => onSegment(by, value)}
        >
          {value}
        </button>
      ),
    },
    { id: 'sessions', title: t('pulse.sessions'), align: 'end', cell: ({ totals }) => countText(totals?.sessions) },
    {
      id: 'conversion',
      title: t('pulse.conversion'),
      align: 'end',
      cell: ({ totals }) => (
        <span>
          <Few sessions={totals?.sessions} /> {shareText(totals?.conversion)}
        </span>
      ),
    },
    {
      id: 'abandoned',
      title: t('pulse.abandoned'),
      align: 'end',
      cell: ({ totals }) => shareText(totals?.abandonmentRate),
    },
    { id: 'errors', title: t('pulse.withErrors'), align: 'end', cell: ({ totals }) => shareText(totals?.errorRate) },
  ];
  return (
    <Async query={query} lines={4} isEmpty={({ segments = [] }) => segments.length === 0}>
      {({ segments = [] }) => (
        <>
          <Table caption={t('pulse.segments')} columns={columns} rows={segments} rowKey={({ value = '' }) => value} />
          <Curl name="PulseService.GetJourneyReport" request={request} />
        </>
      )}
    </Async>
  );
}
