import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { Link } from 'wouter-preact';
import type { KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { GetWalletResponseJson } from '../../../gen/intelligence/wallet/v1/wallet_service_pb';
import type { ApiFailure } from '../../api.ts';
import { firstCallText } from '../../credentials/first-call.ts';
import { t } from '../../i18n/index.ts';
import { balanceText, readUsd } from '../../money.ts';
import type { AllRows } from '../../paging.ts';
import { Async, Code } from '../../ui/index.ts';

interface ChecklistProps {
  wallet: UseQueryResult<GetWalletResponseJson, ApiFailure>;
  keys: UseQueryResult<AllRows<KeyJson>, ApiFailure>;
}

/** What a new account has to do before its first paid reply; until then, the whole page. */
export function Checklist({ wallet, keys }: ChecklistProps) {
  return (
    <section class="card">
      <h2>{t('overview.start')}</h2>
      <p class="muted">{t('overview.startLead')}</p>
      <Async query={wallet} lines={8}>
        {({ wallet: is }) => {
          const balance = readUsd(is?.balanceUsd) ?? 0n;
          const isPaid = balance > 0n;
          const live = (keys.data?.rows ?? []).filter(({ kind, state }) => kind === 'live' && state === 'active');
          return (
            <ol class="overview-steps">
              <Step
                done={isPaid}
                next={!isPaid}
                title={t('overview.stepTopUp')}
                action={{ href: '/credit', text: t('overview.topUp') }}
              >
                {isPaid ? t('overview.stepTopUpDone', { amount: balanceText(balance) }) : t('overview.stepTopUpText')}
              </Step>
              <Step
                done={live.length > 0}
                next={isPaid && live.length === 0}
                title={t('overview.stepKey')}
                action={{ href: '/keys?create', text: t('overview.stepKey') }}
              >
                {live.length > 0 ? t('overview.stepKeyDone', { count: live.length }) : t('overview.stepKeyText')}
              </Step>
              <Step
                done={false}
                next={isPaid && live.length > 0}
                title={t('overview.stepRequest')}
                action={{ href: '/playground', text: t('overview.stepGo') }}
              >
                {t('overview.stepRequestText')}
                <Code text={firstCallText()} />
              </Step>
            </ol>
          );
        }}
      </Async>
    </section>
  );
}

interface StepProps {
  done: boolean;
  /** Whether it is the current step. */
  next: boolean;
  title: string;
  action: { href: string; text: string };
  children: ComponentChildren;
}

function Step({ done, next, title, action, children }: StepProps) {
  return (
    <li class={done ? 'done' : ''}>
      <div>
        <h3>
          {title} {done && <span class="badge good">{t('overview.done')}</span>}
        </h3>
        <div class="muted">{children}</div>
      </div>
      {!done && (
        <Link class={next ? 'button primary' : 'button'} href={action.href}>
          {action.text}
        </Link>
      )}
    </li>
  );
}
