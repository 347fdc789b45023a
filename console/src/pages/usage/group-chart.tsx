import { dayText } from '../../days.ts';
import { formatNumber, t } from '../../i18n/index.ts';
import { exactText, pixelsOf } from '../../money.ts';
import { Chart } from '../../ui/index.ts';
import { type GroupSums, type Metric, othersOf, valueAt } from './sums.ts';

interface GroupChartProps {
  label: string;
  groups: readonly GroupSums[];
  /** Days, or hours. */
  steps: readonly string[];
  metric: Metric;
  nameOf: (id: string | undefined) => string;
}

const most = 7;

/** The most expensive groups by day or hour, and all others combined. */
export function GroupChart({ label, groups, steps, metric, nameOf }: GroupChartProps) {
  const rest = groups.slice(most);
  const shown = [
    ...groups.slice(0, most).map((each) => ({ each, name: nameOf(each.id) })),
    ...(rest.length > 0 ? [{ each: othersOf(rest), name: t('usage.other') }] : []),
  ];
  const text = (value: bigint) => (metric === 'cost' ? exactText(value) : formatNumber(value));
  const totals = steps.map((step) => shown.reduce((sum, { each }) => sum + valueAt(each, step, metric), 0n));
  return (
    <Chart
      label={label}
      categories={steps.map((step) =>
        step.length > 10 ? `${dayText(step.slice(0, 10))} ${step.slice(11, 16)}` : dayText(step),
      )}
      series={shown.map(({ each, name }, index) => {
        const values = steps.map((step) => valueAt(each, step, metric));
        return {
          id: `${index}-${each.id ?? ''}`,
          label: name,
          values: values.map((value) => (metric === 'cost' ? pixelsOf(value) : Number(value))),
          texts: values.map(text),
        };
      })}
      totals={totals.map(text)}
      tickText={(value) =>
        formatNumber(value, {
          ...(metric === 'cost' && {
            style: 'currency',
            currency: 'USD',
            currencyDisplay: 'narrowSymbol',
            minimumFractionDigits: 0,
          }),
          ...(metric !== 'cost' && { notation: 'compact' }),
          maximumSignificantDigits: 3,
        })
      }
    />
  );
}
