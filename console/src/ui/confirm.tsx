import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useState } from 'preact/hooks';
import { type ApiFailure, callConsole, isApiFailure } from '../api.ts';
import { t } from '../i18n/index.ts';
import { PasskeyButton } from '../passkeys/button.tsx';
import { Failure } from './async.tsx';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';

let open: () => Promise<boolean> = async () => false;

/** Asks for the key again, as irreversible actions require. Resolves to whether it was shown. */
export function askToConfirm(): Promise<boolean> {
  return open();
}

/** Whether the credential is not the session's. */
function isOther({ reason }: ApiFailure): boolean {
  return reason === 'SCOPE_MISSING' || reason === 'PRECONDITION_FAILED';
}

/** Where the key is asked for; once in the page. The key is only in this dialog's state, and gone with it. */
export function ConfirmDialog({ operator, hasPasskey }: { operator: boolean; hasPasskey: boolean }) {
  const client = useQueryClient();
  const [answer, setAnswer] = useState<(confirmed: boolean) => void>();
  const [key, setKey] = useState('');
  const [failure, setFailure] = useState<ApiFailure>();
  const [busy, setBusy] = useState(false);
  useEffect(() => {
    open = () => new Promise((resolve) => setAnswer(() => resolve));
    return () => {
      open = async () => false;
    };
  }, []);
  const close = (confirmed: boolean): void => {
    answer?.(confirmed);
    setAnswer(undefined);
    setKey('');
    setFailure(undefined);
  };
  const send = async (shown: { key: string } | { passkey: object }): Promise<void> => {
    client.setQueryData(['session'], await callConsole('POST', '/session/confirm', shown));
    close(true);
  };
  const confirm = async (): Promise<void> => {
    setBusy(true);
    try {
      await send({ key: key.trim() });
    } catch (thrown) {
      if (!isApiFailure(thrown)) throw thrown;
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={t('common.confirmTitle')} open={answer !== undefined} onClose={() => close(false)}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <p>{t('common.confirmHelp')}</p>
        {failure && <Failure failure={failure} title={isOther(failure) ? t('common.confirmOther') : undefined} />}
        <Field
          label={operator ? t('common.confirmToken') : t('common.confirmKey')}
          type="password"
          autocomplete="current-password"
          required
          maxLength={512}
          value={key}
          onValue={setKey}
        />
        {hasPasskey && <PasskeyButton purpose="confirm" send={send} />}
        <div class="actions">
          <Button onClick={() => close(false)}>{t('common.cancel')}</Button>
          <Button kind="primary" type="submit" busy={busy}>
            {t('common.confirm')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
