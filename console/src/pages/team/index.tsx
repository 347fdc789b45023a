import { useAllKeys } from '../../credentials/all-keys.ts';
import { LimitsTable } from '../../credentials/limits-table.tsx';
import { loadTexts, t } from '../../i18n/index.ts';
import { Passkeys } from '../../sign-ins/passkeys.tsx';
import { Sessions } from '../../sign-ins/sessions.tsx';
import { Curl, Page, Section } from '../../ui/index.ts';
import { ManagementKeys } from './management-keys.tsx';

// The key dialogs use that page's texts.
await Promise.all([loadTexts('keys'), loadTexts('passkeys')]);

/** Who manages the account, where they are signed in, and its limits. */
export default function Team() {
  const keys = useAllKeys();
  const nameOf = (id: string) => keys.data?.rows.find(({ keyId }) => keyId === id)?.displayName;
  return (
    <Page title={t('team.title')} lead={t('team.lead')}>
      <ManagementKeys />
      <Passkeys help={t('passkeys.help')} nameOf={nameOf} />
      <Sessions help={t('team.sessionsHelp')} nameOf={nameOf} />
      <Section title={t('team.limits')}>
        <p class="muted">{t('team.limitsHelp')}</p>
        <LimitsTable />
        <Curl name="LimitService.GetLimits" request={{}} />
      </Section>
    </Page>
  );
}
