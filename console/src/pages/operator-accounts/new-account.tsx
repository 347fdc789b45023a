import { showSecret } from '../../credentials/show-secret.tsx';
import { t } from '../../i18n/index.ts';
import { useWrite } from '../../operator/use-write.ts';
import { NameDialog } from './name-dialog.tsx';

/** Creates an account, and shows its management key once. */
export function NewAccount({ onClose }: { onClose: () => void }) {
  const write = useWrite('AccountService.CreateAccount');

  async function create(named: { displayName: string; reason: string }): Promise<void> {
    const reply = await write.send(named);
    if (reply?.managementKey === undefined) return;
    onClose();
    showSecret({
      title: t('operator-accounts.keyTitle', { name: named.displayName }),
      secret: reply.managementKey,
      help: <p>{t('operator-accounts.keyHelp')}</p>,
    });
  }

  return (
    <NameDialog
      title={t('operator-accounts.create')}
      action={t('operator-accounts.createDo')}
      write={write}
      send={create}
      onClose={onClose}
    >
      <p>{t('operator-accounts.createHelp')}</p>
    </NameDialog>
  );
}
