import { Link } from 'wouter-preact';
import type { AccountJson } from '../../../gen/intelligence/account/v1/account_pb';
import { t } from '../../i18n/index.ts';
import { Events } from '../../operator/events.tsx';
import { useRpc } from '../../query.ts';
import { Async, Banner, Curl, Money, Page, Section, timeText } from '../../ui/index.ts';
import { AccountChanges } from './changes.tsx';
import { Charges, Entries, KeyList, Usage } from './lists.tsx';

/** One account, as its owner sees it, and what an operator may change about it. */
export function AccountDetail({ accountId }: { accountId: string }) {
  const query = useRpc('AccountService.GetAccount', { accountId });
  const account = query.data?.account;
  return (
    <Page
      title={account?.displayName ?? t('operator-accounts.title')}
      lead={<Link href="/">{t('operator-accounts.back')}</Link>}
      actions={
        account && (
          <>
            <Link class="button" href={`/credits?account=${accountId}`}>
              {t('operator-accounts.credit')}
            </Link>
            <AccountChanges account={account} />
          </>
        )
      }
    >
      <Async query={query} lines={3}>
        {({ account: found = {} }) => <Looking account={found} />}
      </Async>
      <Figures accountId={accountId} />
      <div class="halves">
        <Usage accountId={accountId} />
        <KeyList accountId={accountId} />
      </div>
      <Charges accountId={accountId} />
      <Entries accountId={accountId} />
      <Section title={t('operator-accounts.events')}>
        <Events accountId={accountId} />
      </Section>
    </Page>
  );
}

function Looking({ account: { accountId = '', displayName = '', suspendTime } }: { account: AccountJson }) {
  return (
    <>
      <Banner kind="warning" title={t('operator-accounts.looking', { name: displayName })}>
        {t('operator-accounts.lookingHelp', { id: accountId })}
      </Banner>
      {suspendTime && (
        <Banner
          kind="danger"
          title={t('operator-accounts.isSuspended', { time: timeText(new Date(suspendTime), 'full') })}
        >
          {t('operator-accounts.isSuspendedHelp')}
        </Banner>
      )}
    </>
  );
}

function Figures({ accountId }: { accountId: string }) {
  const query = useRpc('WalletService.GetWallet', { accountId });
  return (
    <Section title={t('operator-accounts.balance')}>
      <Async query={query} lines={3}>
        {({ wallet = {} }) => (
          <dl class="cards">
            <div class="figure">
              <dt>{t('operator-accounts.balance')}</dt>
              <dd>
                <Money usd={wallet.balanceUsd} />
              </dd>
            </div>
            <div class="figure">
              <dt>{t('operator-accounts.held')}</dt>
              <dd>
                <Money usd={wallet.heldUsd} />
              </dd>
            </div>
            <div class="figure">
              <dt>{t('operator-accounts.owed')}</dt>
              <dd>
                <Money usd={wallet.owedUsd} />
              </dd>
            </div>
          </dl>
        )}
      </Async>
      <Curl name="WalletService.GetWallet" request={{ accountId }} credential="OPERATOR_TOKEN" />
    </Section>
  );
}
