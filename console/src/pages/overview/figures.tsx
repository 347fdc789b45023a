import type { UseQueryResult } from '@tanstack/preact-query';
import { Link } from 'wouter-preact';
import type { LowBalanceAlertJson, UsageRowJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import type { GetWalletResponseJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import type { ApiFailure } from '../../api.ts';
import { type Day, dayText, monthText } from '../../days.ts';
import { formatNumber, t } from '../../i18n/index.ts';
import { balanceText, costText, exactText, type NanoUsd, readUsd } from '../../money.ts';
import type { AllRows } from '../../paging.ts';
import { Async, Money } from '../../ui/index.ts';
import { changeOf, costsOf, leastDays, monthsOf, type Runway, runwayOf, spentBetween } from './sums.ts';

const yearDays = 365;

interface FiguresProps {
  wallet: UseQueryResult<GetWalletResponseJson, ApiFailure>;
  usage: Pick<UseQueryResult<AllRows<UsageRowJson>, ApiFailure>, 'data' | 'error' | 'refetch' | 'isFetching'>;
  alert: LowBalanceAlertJson | undefined;
  today: Day;
  /** The account's first day; undefined while unknown. */
  since: Day | undefined;
}

/** The three main figures. */
export function Figures({ wallet, usage, alert, today, since }: FiguresProps) {
  return (
    <div class="cards">
      <section class="card figure">
        <h2 class="name">{t('overview.available')}</h2>
        <Async query={wallet} lines={4}>
          {({ wallet: is }) => (
            <>
              <p class="value">
                <Money usd={is?.availableUsd} as="balance" />
              </p>
              <p class="muted small">{heldText(readUsd(is?.heldUsd))}</p>
              <p class="overview-actions">
                <Link class="button primary" href="/credit">
                  {t('overview.topUp')}
                </Link>
                <Link href="/credit">{alertText(readUsd(alert?.thresholdUsd))}</Link>
              </p>
            </>
          )}
        </Async>
      </section>
      <section class="card figure">
        <h2 class="name">{t('overview.spent', { month: monthText(today) })}</h2>
        <Async query={usage} lines={3}>
          {({ rows }) => <Spent rows={rows} today={today} since={since} />}
        </Async>
      </section>
      <section class="card figure">
        <h2 class="name">{t('overview.runway')}</h2>
        <Async query={usage} lines={3}>
          {({ rows }) => <Lasts rows={rows} today={today} available={readUsd(wallet.data?.wallet?.availableUsd)} />}
        </Async>
      </section>
    </div>
  );
}

function heldText(held: NanoUsd | undefined): string {
  return held ? t('overview.held', { amount: exactText(held) }) : t('overview.nothingHeld');
}

function alertText(threshold: NanoUsd | undefined): string {
  return threshold ? t('overview.alert', { amount: balanceText(threshold) }) : t('overview.alertNone');
}

function Spent({ rows, today, since }: { rows: readonly UsageRowJson[] } & Pick<FiguresProps, 'today' | 'since'>) {
  const costs = costsOf(rows);
  const { first, firstBefore, lastBefore } = monthsOf(today);
  const now = costs && spentBetween(costs, first, today);
  const before = costs && spentBetween(costs, firstBefore, lastBefore);
  return (
    <>
      <p class="value">
        <Money usd={now} as="cost" />
      </p>
      {/* No comparison with days before the account existed. */}
      {now !== undefined && before !== undefined && since !== undefined && since <= firstBefore && (
        <p class="muted small">{changeText(now, before, dayText(firstBefore), dayText(lastBefore))}</p>
      )}
    </>
  );
}

function changeText(now: NanoUsd, before: NanoUsd, first: string, last: string): string {
  const change = changeOf(now, before);
  if (change === undefined) return t('overview.spentNothingBefore', { first, last });
  if (change === 0) return t('overview.spentSame', { first, last });
  const percent = formatNumber(Math.abs(change) / 1_000, { style: 'percent', maximumFractionDigits: 1 });
  const params = { percent, amount: costText(before), first, last };
  return change > 0 ? t('overview.spentMore', params) : t('overview.spentLess', params);
}

interface LastsProps {
  rows: readonly UsageRowJson[];
  today: Day;
  available: NanoUsd | undefined;
}

function Lasts({ rows, today, available }: LastsProps) {
  const costs = costsOf(rows);
  if (!costs || available === undefined) return <p class="value">–</p>;
  const runway = runwayOf(available, costs, today);
  return (
    <>
      <p class="value">{runwayText(runway.days, available)}</p>
      <p class="muted small">{paceText(runway)}</p>
    </>
  );
}

function paceText({ pace, days, over }: Runway): string {
  if (pace <= 0n) return t('overview.runwayNoUse');
  if (days === undefined) return t('overview.runwaySoon', { count: leastDays });
  return t('overview.runwayPace', { amount: costText(pace), count: over });
}

function runwayText(days: number | undefined, available: NanoUsd): string {
  if (available <= 0n) return t('overview.runwayEmpty');
  if (days === undefined) return t('overview.runwayNone');
  if (days > 10 * yearDays) return t('overview.runwayLong');
  if (days >= 2 * yearDays) return t('overview.runwayYears', { count: Math.floor(days / yearDays) });
  return t('overview.runwayDays', { count: days });
}
