import { LimitsTable } from '../../credentials/limits-table.tsx';
import { loadTexts, t } from '../../i18n/index.ts';
import { Curl, Page, Section } from '../../ui/index.ts';
import { ManagementKeys } from './management-keys.tsx';
import { Sessions } from './sessions.tsx';

// The dialogs for keys speak with the texts of that page.
await loadTexts('keys');

/** Who manages the account, where they are signed in, and what is let through. */
export default function Team() {
  return (
    <Page title={t('team.title')} lead={t('team.lead')}>
      <ManagementKeys />
      <Sessions />
      <Section title={t('team.limits')}>
        <p class="muted">{t('team.limitsHelp')}</p>
        <LimitsTable />
        <Curl name="LimitService.GetLimits" request={{}} />
      </Section>
    </Page>
  );
}
