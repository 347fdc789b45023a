import { useState } from 'preact/hooks';
import { t } from '../../i18n/index.ts';
import { useRpcMutation } from '../../query.ts';
import { Button, Dialog, Failure, Field, toast } from '../../ui/index.ts';

/** Asks whose data to erase. */
export function EraseDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [userId, setUserId] = useState('');
  const erase = useRpcMutation('PulseService.ErasePerson', {
    onSuccess: () => {
      toast(t('pulse.erased'));
      close();
    },
  });
  const close = () => {
    setUserId('');
    erase.reset();
    onClose();
  };
  return (
    <Dialog title={t('pulse.eraseTitle')} open={open} onClose={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          erase.mutate({ userId });
        }}
      >
        <p>{t('pulse.eraseText')}</p>
        {erase.error && <Failure failure={erase.error} />}
        <Field
          label={t('pulse.userId')}
          value={userId}
          onValue={setUserId}
          maxLength={256}
          autocomplete="off"
          spellcheck={false}
          required
        />
        <div class="actions">
          <Button onClick={close}>{t('common.cancel')}</Button>
          <Button kind="danger" type="submit" busy={erase.isPending}>
            {t('pulse.eraseAction')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
