import { useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';
import { nameOf, signOut, useSession } from '../session.tsx';
import { chooseTheme, type Theme, theme } from '../theme.ts';
import { Button } from '../ui/button.tsx';
import { Select } from '../ui/field.tsx';
import { LanguageSelect } from './language-select.tsx';

/** Who is signed in, the page's appearance, and signing out. The browser's own popover: Escape or a click elsewhere closes it. */
export function AccountMenu({ onKeys }: { onKeys: () => void }) {
  const session = useSession();
  const [chosen, setChosen] = useState(theme());
  const name = nameOf(session);
  return (
    <>
      <button type="button" class="account-button" popovertarget="account-menu">
        <span class="account-role">{session.role === 'operator' ? t('common.operator') : t('common.account')}</span>
        <span class="account-name">{name}</span>
      </button>
      <div id="account-menu" popover="auto" class="popover">
        <p class="account-full">
          <strong>{name}</strong>
          {session.accountId && <code class="muted small">{session.accountId}</code>}
        </p>
        <Select
          label={t('common.theme')}
          value={chosen}
          options={[
            { value: 'auto', label: t('common.themeAuto') },
            { value: 'light', label: t('common.themeLight') },
            { value: 'dark', label: t('common.themeDark') },
          ]}
          onValue={(value) => {
            chooseTheme(value as Theme);
            setChosen(value as Theme);
          }}
        />
        <LanguageSelect />
        <div class="popover-actions">
          <a href="/docs">{t('common.docs')}</a>
          <Button kind="quiet" onClick={onKeys}>
            {t('common.keyboard')}
          </Button>
          <Button onClick={() => void signOut()}>{t('common.signOut')}</Button>
        </div>
      </div>
    </>
  );
}
