import { Link, useLocation } from 'wouter-preact';
import { t } from '../i18n/index.ts';
import { balanceText, readUsd } from '../money.ts';
import { useRpc } from '../query.ts';
import { Banner } from '../ui/banner.tsx';

/**
 * Wallet warnings on every page: use is paused, something is owed, or credit runs low. Silent while unknown. An account that never had credit
 * has lost nothing: it is invited to start, without alarm.
 */
export function MoneyBanners() {
  const { data: { wallet } = {} } = useRpc('WalletService.GetWallet', {}, { refetchInterval: 60_000 });
  const { data: { alert } = {} } = useRpc('WalletService.GetLowBalanceAlert', {});
  const paused = wallet?.paused === true;
  const { data: begun } = useRpc('WalletService.ListEntries', { pageSize: 1 }, { enabled: paused });
  const [path] = useLocation();
  const owed = readUsd(wallet?.owedUsd);
  const available = readUsd(wallet?.availableUsd);
  const threshold = readUsd(alert?.thresholdUsd);
  if (!wallet) return null;
  // The credit page has this button already.
  const action = path !== '/credit' && (
    <Link class="button primary" href="/credit">
      {t('common.topUp')}
    </Link>
  );
  if (owed !== undefined && owed > 0n)
    return (
      <Banner kind="danger" title={t('common.owed', { amount: balanceText(owed) })} action={action}>
        {t('common.owedHelp')}
      </Banner>
    );
  if (paused) {
    if (!begun) return null;
    // A new account's overview is its first steps, and they start with this one.
    if ((begun.entries ?? []).length === 0)
      return path === '/' ? null : (
        <Banner kind="info" title={t('common.noCreditYet')} action={action}>
          {t('common.noCreditYetHelp')}
        </Banner>
      );
    return (
      <Banner kind="danger" title={t('common.paused')} action={action}>
        {t('common.pausedHelp')}
      </Banner>
    );
  }
  if (alert?.below && available !== undefined && threshold !== undefined)
    return (
      <Banner kind="warning" title={t('common.lowBalance', { amount: balanceText(available) })} action={action}>
        {t('common.lowBalanceHelp', { threshold: balanceText(threshold) })}
      </Banner>
    );
  return null;
}
