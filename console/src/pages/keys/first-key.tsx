import { apiUrl } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { Code } from '../../ui/index.ts';

/** What to do where there is no key. */
export function FirstKey() {
  const body = JSON.stringify({ messages: [{ role: 'user', content: 'Hello' }] });
  const text = [
    `curl '${apiUrl('/api/v1/assistant/chat')}'`,
    '-H "Authorization: Bearer $API_KEY"',
    "-H 'Content-Type: application/json'",
    `-d '${body}'`,
  ].join(' \\\n  ');
  return (
    <div class="keys-first">
      <p>
        <strong>{t('keys.emptyTitle')}</strong> {t('keys.emptyHelp')}
      </p>
      <Code text={text} />
    </div>
  );
}
