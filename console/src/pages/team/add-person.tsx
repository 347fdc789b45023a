import { useEffect, useState } from 'preact/hooks';
import { showSecret } from '../../credentials/show-secret.tsx';
import { useSecretCall } from '../../credentials/use-secret-call.ts';
import { t } from '../../i18n/index.ts';
import { Banner, Button, Dialog, Failure, Field } from '../../ui/index.ts';

/** Makes a management key. */
export function AddPerson({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [name, setName] = useState('');
  const [purpose, setPurpose] = useState<string>(t('team.purposeDefault'));
  const { run, busy, failure, reset } = useSecretCall('KeyService.CreateKey');
  useEffect(reset, [open]);
  const add = async () => {
    const reply = await run({ kind: 'management', displayName: name.trim(), purpose: purpose.trim() });
    if (!reply?.secret) return;
    setName('');
    onClose();
    showSecret({
      title: t('team.added', { name: reply.key?.displayName ?? '' }),
      secret: reply.secret,
      help: <p>{t('team.addedHelp')}</p>,
    });
  };
  return (
    <Dialog
      title={t('team.addTitle')}
      open={open}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            kind="primary"
            busy={busy}
            disabled={name.trim() === '' || purpose.trim() === ''}
            onClick={() => void add()}
          >
            {t('team.add')}
          </Button>
        </>
      }
    >
      {failure && <Failure failure={failure} />}
      <Banner kind="warning" title={t('team.addWarning')} />
      <Field label={t('team.person')} value={name} onValue={setName} maxLength={200} autocomplete="off" required />
      <Field label={t('team.purpose')} value={purpose} onValue={setPurpose} maxLength={1_000} required />
    </Dialog>
  );
}
