import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { TopUpJson } from '../../../gen/intelligence/wallet/v1/wallet_pb';
import { t } from '../../i18n/index.ts';
import { exactText, readUsd } from '../../money.ts';
import { useRpc } from '../../query.ts';
import { Async, Banner } from '../../ui/index.ts';

const askEveryMs = 3_000;

/** The state of one top-up: polled while it is pending, because only the payment's own event decides. */
export function TopUpProgress({ topUpId }: { topUpId: string }) {
  const client = useQueryClient();
  const [pending, setPending] = useState(true);
  const query = useRpc('WalletService.GetTopUp', { topUpId }, { refetchInterval: pending && askEveryMs, staleTime: 0 });
  const state = query.data?.topUp?.state;
  useEffect(() => {
    if (state === undefined) return;
    setPending(state === 'pending');
    // Refresh what the payment changed: the balance, its entries, the banners.
    if (state === 'paid')
      void client.invalidateQueries({
        predicate: ({ queryKey: [name] }) =>
          String(name).startsWith('WalletService.') && name !== 'WalletService.GetTopUp',
      });
  }, [state]);
  return (
    <Async query={query} lines={2}>
      {({ topUp }) => (topUp ? <State of={topUp} /> : null)}
    </Async>
  );
}

function State({ of: { state, amountUsd, paymentUrl, provider } }: { of: TopUpJson }) {
  const amount = exactText(readUsd(amountUsd) ?? 0n);
  const close = (
    <Link class="button" href="/credit">
      {t('common.close')}
    </Link>
  );
  if (state === 'paid')
    return (
      <Banner kind="good" title={t('credit.paidTitle', { amount })} action={close}>
        {t('credit.paidHelp')}
      </Banner>
    );
  if (state !== 'pending')
    return (
      <Banner kind="danger" title={t('credit.failedTitle', { amount })} action={close}>
        {t('credit.failedHelp')}
      </Banner>
    );
  return (
    <Banner
      kind="warning"
      title={t('credit.waiting', { amount })}
      action={
        paymentUrl ? (
          <a class="button primary" href={paymentUrl}>
            {t('credit.pay')}
          </a>
        ) : (
          close
        )
      }
    >
      {provider === 'manual' ? t('credit.manual') : t('credit.waitingHelp')}
    </Banner>
  );
}
