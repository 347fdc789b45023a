import { useEffect, useState } from 'preact/hooks';
import type { KeyJson } from '../../gen/intelligence/key/v1/key_pb';
import { t } from '../i18n/index.ts';
import { useRpcMutation } from '../query.ts';
import { Banner, Button, Dialog, Failure, Field, toast } from '../ui/index.ts';
import { usedLately } from './rotate-dialog.tsx';

/** Permanently revokes a key, once its name has been typed. */
export function RevokeDialog({ target, onClose }: { target: KeyJson | undefined; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const name = target?.displayName ?? '';
  const revoke = useRpcMutation('KeyService.RevokeKey', {
    onSuccess: () => {
      toast(t('keys.revoked', { name }));
      onClose();
    },
  });
  useEffect(() => {
    setTyped('');
    revoke.reset();
  }, [target?.keyId]);
  return (
    <Dialog
      title={t('keys.revokeTitle', { name })}
      open={target !== undefined}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            kind="danger"
            busy={revoke.isPending}
            disabled={typed !== name}
            onClick={() => target?.keyId && revoke.mutate({ keyId: target.keyId })}
          >
            {t('keys.revoke')}
          </Button>
        </>
      }
    >
      <p>{t('keys.revokeHelp')}</p>
      {usedLately(target) && <Banner kind="warning" title={t('keys.usedLately')} />}
      {revoke.error && <Failure failure={revoke.error} />}
      <Field
        label={t('keys.typeName', { name })}
        value={typed}
        onValue={setTyped}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
      />
    </Dialog>
  );
}
