import type {
  FunnelStepJson,
  JourneyReportJson,
  StallJson,
  StepErrorJson,
} from '../../../gen/intelligence/pulse/v1/report_pb';
import { t } from '../../i18n/index.ts';
import { Badge, type Column, Table } from '../../ui/index.ts';
import { countOf, countText, dwellText, shareText } from './words.tsx';

/** The funnel's bars are the rows of its table: the same figures for eyes and for screen readers. */
export function Funnel({ report: { funnel = [], stalls = [], errors = [], totals } }: { report: JourneyReportJson }) {
  const stallOf = new Map(stalls.map((stall): [string, StallJson] => [stall.step ?? '', stall]));
  const errorsOf = Map.groupBy(errors, ({ step = '' }) => step);
  const columns: Column<FunnelStepJson>[] = [
    {
      id: 'step',
      title: t('pulse.step'),
      phone: 'title',
      cell: ({ step, optional }) => (
        <span>
          {step} {optional && <Badge kind="plain">{t('pulse.optional')}</Badge>}
        </span>
      ),
    },
    {
      id: 'entered',
      title: t('pulse.entered'),
      cell: (line) => (
        <span class="pulse-entered">
          <span>{countText(line.entered)}</span>
          <Bar part={line.reached ?? line.entered} whole={totals?.sessions} />
          {line.reached !== undefined && (
            <span class="muted small">{t('pulse.reached', { count: countText(line.reached) })}</span>
          )}
        </span>
      ),
    },
    {
      id: 'before',
      title: t('pulse.ofBefore'),
      align: 'end',
      cell: ({ fromPrevious }) => shareText(fromPrevious),
    },
    {
      id: 'completed',
      title: t('pulse.stepCompleted'),
      align: 'end',
      cell: ({ conversion }) => shareText(conversion),
    },
    {
      id: 'dwell',
      title: t('pulse.dwell'),
      align: 'end',
      cell: ({ step = '' }) => dwellText(stallOf.get(step)?.dwell),
    },
    {
      id: 'stop',
      title: t('pulse.stopHere'),
      align: 'end',
      cell: ({ step = '' }) => shareText(stallOf.get(step)?.abandonmentRate),
    },
    {
      id: 'errors',
      title: t('pulse.errors'),
      cell: ({ step = '' }) => <ErrorsOf errors={errorsOf.get(step) ?? []} />,
    },
  ];
  return <Table caption={t('pulse.funnel')} columns={columns} rows={funnel} rowKey={({ step = '' }) => step} />;
}

/** The share of the journey's sessions; only drawn, because the figure is beside it. */
function Bar({ part, whole }: { part: string | undefined; whole: string | undefined }) {
  const all = Number(countOf(whole));
  const width = all === 0 ? 0 : (Number(countOf(part)) / all) * 100;
  return (
    <svg class="pulse-bar" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect class="pulse-bar-whole" width="100" height="1" />
      <rect class="pulse-bar-part" width={width} height="1" />
    </svg>
  );
}

/** The error code that affected the most sessions. The list is sorted that way. */
function ErrorsOf({ errors: [worst, ...more] }: { errors: readonly StepErrorJson[] }) {
  if (!worst) return <span class="muted">–</span>;
  return (
    <span>
      {t('pulse.errorOf', {
        code: worst.code ?? '',
        count: countText(worst.sessions),
        recovered: countText(worst.recoveredSessions),
      })}
      {more.length > 0 && <span class="muted small"> {t('pulse.moreErrors', { count: more.length })}</span>}
    </span>
  );
}
