import type { ComponentChildren } from 'preact';
import { formatNumber, t } from '../../i18n/index.ts';
import { costText } from '../../money.ts';
import { Money } from '../../ui/index.ts';
import { type Metric, metricOf, type Sums } from './sums.ts';

interface FiguresProps {
  total: Sums;
  /** The previous period; undefined while unknown, which is shown as a dash. */
  before: Sums | undefined;
  days: number;
  metric: Metric;
  onMetric: (metric: Metric) => void;
}

const metrics: readonly Metric[] = ['cost', 'tokens', 'requests'];

/** The period's three figures, each compared with the previous period; one of them is charted. */
export function Figures({ total, before, days, metric, onMetric }: FiguresProps) {
  return (
    <div class="cards">
      {metrics.map((name) => (
        <button
          key={name}
          type="button"
          class="card figure usage-figure"
          aria-pressed={name === metric}
          onClick={() => onMetric(name)}
        >
          <span class="name">{t(`usage.${name}`)}</span>
          <span class="value">{shown(total, name)}</span>
          <span class="muted small">
            {before ? changeText(metricOf(total, name), metricOf(before, name), name, days) : '–'}
          </span>
        </button>
      ))}
    </div>
  );
}

function shown(total: Sums, metric: Metric): ComponentChildren {
  if (metric === 'cost') return <Money usd={total.cost} as="cost" />;
  return formatNumber(metricOf(total, metric));
}

function changeText(now: bigint, before: bigint, metric: Metric, count: number): string {
  if (before <= 0n) return t('usage.nothingBefore', { count });
  if (now === before) return t('usage.same', { count });
  const change = Number(((now - before) * 1_000n) / before) / 1_000;
  const percent = formatNumber(Math.abs(change), { style: 'percent', maximumFractionDigits: 1 });
  const amount = metric === 'cost' ? costText(before) : formatNumber(before);
  return now > before ? t('usage.more', { percent, amount, count }) : t('usage.less', { percent, amount, count });
}
