import type { UsageRowJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { type Day, daysBetween, dayText } from '../../days.ts';
import { t } from '../../i18n/index.ts';
import { axisText, exactText } from '../../money.ts';
import { Chart, Money } from '../../ui/index.ts';
import { costsOf, drawn, type ModelCosts, sumOf, topModels } from './sums.ts';

interface CostByModelProps {
  rows: readonly UsageRowJson[];
  cut: boolean;
  first: Day;
  last: Day;
}

const most = 5;

/** What each model cost on each of thirty days. */
export function CostByModel({ rows, cut, first, last }: CostByModelProps) {
  const costs = costsOf(rows);
  if (!costs) return <p class="muted">–</p>;
  const days = daysBetween(first, last);
  const { top, rest } = topModels(costs, days, most);
  const shown = [
    ...top.map((each) => ({ each, label: each.model === '' ? t('overview.noModel') : each.model })),
    ...(rest ? [{ each: rest, label: t('overview.otherModels') }] : []),
  ];
  const totals = days.map((_, index) => sumOf(shown.map(({ each }) => each.byDay[index] ?? 0n)));
  return (
    <>
      <p>
        <Money usd={sumOf(totals)} /> <span class="muted small">{t('overview.utcDays')}</span>
      </p>
      <Chart
        label={t('overview.costByModel')}
        categories={days.map(dayText)}
        series={shown.map(({ each, label }) => ({ ...seriesOf(each), label }))}
        totals={totals.map(exactText)}
        tickText={axisText}
      />
      {cut && <p class="muted small">{t('overview.cut')}</p>}
    </>
  );
}

function seriesOf({ model, byDay }: ModelCosts) {
  return { id: model, values: drawn(byDay), texts: byDay.map(exactText) };
}
