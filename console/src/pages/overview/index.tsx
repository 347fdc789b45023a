import './overview.css';
import type { KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { GetUsageResponseJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import { useAllKeys } from '../../credentials/all-keys.ts';
import { type Day, dayOf, lastDays, timesOf } from '../../days.ts';
import { t } from '../../i18n/index.ts';
import { type AllRows, useAllRows } from '../../paging.ts';
import { useRpc } from '../../query.ts';
import { Async, Failure, Page } from '../../ui/index.ts';
import { Checklist } from './checklist.tsx';
import { CostByModel } from './cost-by-model.tsx';
import { Figures } from './figures.tsx';
import { LatestCharges, TopKeys } from './lists.tsx';
import { monthsOf } from './sums.ts';

const rowsOf = ({ rows }: GetUsageResponseJson) => rows;

/** Remaining credit, where it went, and what to do next. Six requests at once, two of which are shared with the banners. */
export default function Overview() {
  const today = dayOf(new Date());
  const { firstBefore } = monthsOf(today);
  const month = lastDays(30);
  const first = firstBefore < month.first ? firstBefore : month.first;
  const wallet = useRpc('WalletService.GetWallet', {});
  const alert = useRpc('WalletService.GetLowBalanceAlert', {});
  const keys = useAllKeys();
  const charges = useRpc('WalletService.ListCharges', { pageSize: 8 });
  const used = useAllRows('WalletService.GetUsage', { ...timesOf(first, today), groupBy: ['day', 'model'] }, rowsOf);
  const { startTime, endTime } = month;
  const byKey = useAllRows('WalletService.GetUsage', { startTime, endTime, groupBy: ['key'] }, rowsOf);

  const unused = used.data?.rows.length === 0;
  if (unused && charges.data && (charges.data.charges?.length ?? 0) === 0)
    return (
      <Page title={t('overview.title')}>
        <Checklist wallet={wallet} keys={keys} />
      </Page>
    );
  // An account without usage may be new, which the charges tell: show no figures that would disappear at once.
  const { error, refetch, isFetching } = used;
  const usage = { data: unused && charges.isPending ? undefined : used.data, error, refetch, isFetching };
  const queries = [wallet, alert, keys, charges, usage, byKey];
  const failure = queries.every(({ data }) => data === undefined) && wallet.error;
  if (failure)
    return (
      <Page title={t('overview.title')}>
        <Failure failure={failure} retry={() => queries.forEach((query) => void query.refetch())} />
      </Page>
    );
  return (
    <Page title={t('overview.title')}>
      <Figures
        wallet={wallet}
        usage={usage}
        alert={alert.data?.alert}
        today={today}
        since={keys.data && startOfAccount(keys.data)}
      />
      <section class="card">
        <h2>{t('overview.costByModel')}</h2>
        <Async query={usage} lines={12}>
          {({ rows, cut }) => <CostByModel rows={rows} cut={cut} first={month.first} last={month.last} />}
        </Async>
      </section>
      <div class="halves">
        <TopKeys usage={byKey} keys={keys.data?.rows ?? []} />
        <LatestCharges charges={charges} />
      </div>
    </Page>
  );
}

/** An account starts with its management key. If there are more keys than are read, it is not new. */
function startOfAccount({ rows, cut }: AllRows<KeyJson>): Day {
  if (cut) return '';
  const times = rows.flatMap(({ createTime }) => (createTime ? [Date.parse(createTime)] : []));
  return dayOf(new Date(Math.min(...times, Date.now())));
}
