import type { PercentilesJson, StallJson } from '../../../gen/intelligence/pulse/v1/report_pb';
import { formatNumber, t } from '../../i18n/index.ts';
import { type Column, Table } from '../../ui/index.ts';
import { countText, secondsText, shareText } from './words.tsx';

const columns = (): Column<StallJson>[] => [
  { id: 'step', title: t('pulse.step'), phone: 'title', cell: ({ step }) => step },
  { id: 'sessions', title: t('pulse.stallSessions'), align: 'end', cell: ({ sessions }) => countText(sessions) },
  { id: 'p50', title: t('pulse.p50'), align: 'end', cell: ({ dwell }) => secondsText(dwell?.p50Seconds) },
  { id: 'p90', title: t('pulse.p90'), align: 'end', cell: ({ dwell }) => secondsText(dwell?.p90Seconds) },
  {
    id: 'norm',
    title: t('pulse.timesNorm'),
    align: 'end',
    cell: ({ timesNorm }) =>
      typeof timesNorm === 'number' ? formatNumber(timesNorm, { maximumFractionDigits: 1 }) : '–',
  },
  {
    id: 'lost',
    title: t('pulse.lost'),
    align: 'end',
    cell: ({ timeLostSeconds }) => secondsText(timeLostSeconds ?? 0),
  },
  {
    id: 'abandoned',
    title: t('pulse.stopHere'),
    align: 'end',
    cell: ({ abandoned, abandonmentRate }) => `${countText(abandoned)} (${shareText(abandonmentRate)})`,
  },
  { id: 'left', title: t('pulse.leftAfter'), align: 'end', cell: ({ leftAfter }) => countText(leftAfter) },
];

/** How long sessions stay at each step, the steps that lose the most time first. */
export function Stalls({ stalls, norm }: { stalls: readonly StallJson[]; norm: PercentilesJson | undefined }) {
  return (
    <>
      <Table caption={t('pulse.stalls')} columns={columns()} rows={stalls} rowKey={({ step = '' }) => step} />
      {norm && (
        <p class="muted small">
          {t('pulse.usual', { p50: secondsText(norm.p50Seconds), p90: secondsText(norm.p90Seconds) })}
        </p>
      )}
    </>
  );
}
