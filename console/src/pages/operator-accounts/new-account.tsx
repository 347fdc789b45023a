import { useState } from 'preact/hooks';
import { showSecret } from '../../credentials/show-secret.tsx';
import { t } from '../../i18n/index.ts';
import { ReasonField } from '../../operator/reason-field.tsx';
import { useWrite } from '../../operator/use-write.ts';
import { WriteFailure } from '../../operator/write-failure.tsx';
import { Button, Dialog, Field } from '../../ui/index.ts';

/** Creates an account, and shows its management key once. */
export function NewAccount({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [displayName, setDisplayName] = useState('');
  const [reason, setReason] = useState('');
  const { send, busy, failure, reset } = useWrite('AccountService.CreateAccount');

  async function create(): Promise<void> {
    const reply = await send({ displayName, reason });
    if (reply?.managementKey === undefined) return;
    close();
    showSecret({
      title: t('operator-accounts.keyTitle', { name: displayName }),
      secret: reply.managementKey,
      help: <p>{t('operator-accounts.keyHelp')}</p>,
    });
  }

  function close(): void {
    setDisplayName('');
    setReason('');
    reset();
    onClose();
  }

  return (
    <Dialog
      title={t('operator-accounts.create')}
      open={open}
      onClose={close}
      actions={
        <Button
          kind="primary"
          busy={busy}
          disabled={displayName.trim() === '' || reason.trim() === ''}
          onClick={() => void create()}
        >
          {t('operator-accounts.createDo')}
        </Button>
      }
    >
      <div class="form">
        <p>{t('operator-accounts.createHelp')}</p>
        <Field
          label={t('operator-accounts.name')}
          required
          maxLength={200}
          value={displayName}
          onValue={setDisplayName}
        />
        <ReasonField value={reason} onValue={setReason} />
        <WriteFailure failure={failure} again={() => void create()} />
      </div>
    </Dialog>
  );
}
