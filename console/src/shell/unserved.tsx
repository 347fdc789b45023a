import type { ApiFailure } from '../api.ts';
import { t } from '../i18n/index.ts';
import { lastAccountName, signOut } from '../session.tsx';
import { Failure } from '../ui/async.tsx';
import { Button } from '../ui/button.tsx';
import { Mark } from './shell.tsx';

/** For users who are signed in but not served, such as those of a suspended account: why, whose account it is, and a way to sign out. */
export function Unserved({ failure, retry }: { failure: ApiFailure; retry: () => void }) {
  return (
    <>
      <header class="top">
        <span class="brand">
          <Mark />
          <span class="brand-name">{t('common.product')}</span>
        </span>
        {failure.reason === 'ACCOUNT_SUSPENDED' && (
          <div class="top-end">
            <span class="account-name">{lastAccountName()}</span>
            <Button onClick={() => void signOut()}>{t('common.signOut')}</Button>
          </div>
        )}
      </header>
      <main class="alone">
        <Failure failure={failure} retry={retry} />
      </main>
    </>
  );
}
