import { useState } from 'preact/hooks';
import { type ApiFailure, callConsole, isApiFailure } from '../api.ts';
import { t } from '../i18n/index.ts';
import { Banner, Button, Failure, Field } from '../ui/index.ts';

interface WriteFailureProps {
  failure: ApiFailure | undefined;
  /** Sends the same write again, once the token was shown. */
  again: () => void;
}

/** Why a write was refused. Where the session has to show its token once more, that is asked for here. */
export function WriteFailure({ failure, again }: WriteFailureProps) {
  if (!failure) return null;
  if (failure.reason !== 'CONFIRMATION_REQUIRED') return <Failure failure={failure} />;
  return <ShowToken onShown={again} />;
}

function ShowToken({ onShown }: { onShown: () => void }) {
  const [token, setToken] = useState('');
  const [failure, setFailure] = useState<ApiFailure>();
  const [busy, setBusy] = useState(false);

  async function confirm(): Promise<void> {
    setBusy(true);
    setFailure(undefined);
    try {
      await callConsole('POST', '/session/confirm', { key: token });
      setToken('');
      onShown();
    } catch (error) {
      if (!isApiFailure(error)) throw error;
      setFailure(error);
    } finally {
      setBusy(false);
    }
  }

  return (
    <Banner kind="warning" title={t('common.operatorConfirm')}>
      {t('common.operatorConfirmHelp')}
      <span class="form">
        <Field
          label={t('common.operatorToken')}
          type="password"
          autocomplete="off"
          value={token}
          onValue={setToken}
          error={failure?.message}
        />
        <span>
          <Button busy={busy} disabled={token === ''} onClick={() => void confirm()}>
            {t('common.operatorConfirmDo')}
          </Button>
        </span>
      </span>
    </Banner>
  );
}
