import { t } from '../../i18n/index.ts';
import { useSession } from '../../session.tsx';
import { Banner } from '../../ui/index.ts';

/** Whose document it is and who issued it; simulated money is marked as such on paper, too. */
export function Party() {
  const { accountId, accountName, sandbox } = useSession();
  return (
    <>
      {sandbox && <Banner kind="warning" title={t('statements.sandbox')} />}
      <dl class="pairs">
        <dt>{t('statements.account')}</dt>
        <dd>
          {accountName} <code>{accountId}</code>
        </dd>
        <dt>{t('statements.service')}</dt>
        <dd>{location.host}</dd>
      </dl>
    </>
  );
}

/** Prints the page, or saves it as PDF if the browser can. */
export function Print() {
  return (
    <button type="button" class="button" onClick={() => print()}>
      {t('statements.print')}
    </button>
  );
}
