import { firstCallText } from '../../credentials/first-call.ts';
import { t } from '../../i18n/index.ts';
import { Code } from '../../ui/index.ts';

/** What to do when there is no key. */
export function FirstKey() {
  return (
    <div class="keys-first">
      <p>
        <strong>{t('keys.emptyTitle')}</strong> {t('keys.emptyHelp')}
      </p>
      <Code text={firstCallText()} />
    </div>
  );
}
