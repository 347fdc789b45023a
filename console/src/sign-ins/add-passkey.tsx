import { useState } from 'preact/hooks';
import { type ApiFailure, callConsole, isApiFailure } from '../api.ts';
import { t } from '../i18n/index.ts';
import { makePasskey, type PasskeyProblem } from '../passkeys/ask.ts';
import { Problem } from '../passkeys/button.tsx';
import { confirmed } from '../query.ts';
import { Button, Dialog, Field } from '../ui/index.ts';
import { browserOf } from './browser.ts';

interface AddPasskeyProps {
  open: boolean;
  onClose: () => void;
  onAdded: (name: string) => void;
}

/** Names a passkey, then has the browser make it. */
export function AddPasskey({ open, onClose, onAdded }: AddPasskeyProps) {
  const [name, setName] = useState(() => browserOf(navigator.userAgent) ?? '');
  const [problem, setProblem] = useState<PasskeyProblem | ApiFailure>();
  const [busy, setBusy] = useState(false);
  const close = () => {
    setProblem(undefined);
    onClose();
  };
  const add = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const made = await confirmed(makePasskey);
      if ('problem' in made) return setProblem(made.problem);
      await callConsole('POST', '/passkeys', { name: name.trim(), response: made.answer });
      close();
      onAdded(name.trim());
    } catch (thrown) {
      if (!isApiFailure(thrown)) throw thrown;
      setProblem(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Dialog title={t('passkeys.addTitle')} open={open} onClose={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        <p>{t('passkeys.addHelp')}</p>
        {problem !== undefined && <Problem problem={problem} />}
        <Field
          label={t('passkeys.name')}
          help={t('passkeys.nameHelp')}
          value={name}
          onValue={setName}
          maxLength={100}
          autocomplete="off"
          required
        />
        <div class="actions">
          <Button onClick={close}>{t('common.cancel')}</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={name.trim() === ''}>
            {t('passkeys.addDo')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
