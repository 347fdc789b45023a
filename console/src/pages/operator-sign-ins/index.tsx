import { loadTexts, t } from '../../i18n/index.ts';
import { Passkeys } from '../../sign-ins/passkeys.tsx';
import { Sessions } from '../../sign-ins/sessions.tsx';
import { Page } from '../../ui/index.ts';

await Promise.all([loadTexts('passkeys'), loadTexts('team')]);

/** How an operator signs in, and where they are signed in. */
export default function OperatorSignIns() {
  return (
    <Page title={t('operator-sign-ins.title')} lead={t('operator-sign-ins.lead')}>
      <Passkeys help={t('operator-sign-ins.passkeysHelp')} />
      <Sessions help={t('operator-sign-ins.sessionsHelp')} />
    </Page>
  );
}
