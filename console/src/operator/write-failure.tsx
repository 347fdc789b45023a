import { useState } from 'preact/hooks';
import { type ApiFailure, callConsole, isApiFailure } from '../api.ts';
import { loadTexts, t } from '../i18n/index.ts';
import { PasskeyButton } from '../passkeys/button.tsx';
import { useSession } from '../session.tsx';
import { Banner, Button, Failure, Field, failureText } from '../ui/index.ts';

await loadTexts('operator');

interface WriteFailureProps {
  failure: ApiFailure | undefined;
  /** Sends the same write again after the token has been shown. */
  again: () => void;
}

/** Why a write was refused. If the session has to show its token once more, it is asked for here. */
export function WriteFailure({ failure, again }: WriteFailureProps) {
  if (!failure) return null;
  if (failure.reason !== 'CONFIRMATION_REQUIRED') return <Failure failure={failure} />;
  return <ShowToken onShown={again} />;
}

function ShowToken({ onShown }: { onShown: () => void }) {
  const { hasPasskey } = useSession();
  const [token, setToken] = useState('');
  const [failure, setFailure] = useState<ApiFailure>();
  const [busy, setBusy] = useState(false);

  async function confirm(): Promise<void> {
    if (token === '' || busy) return;
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
    <Banner kind="warning" title={t('operator.confirm')}>
      {t('operator.confirmHelp')}
      <span class="form">
        <Field
          label={t('operator.token')}
          type="password"
          autocomplete="off"
          value={token}
          onValue={setToken}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return;
            // Otherwise the surrounding form would be submitted, and this field would be gone with the token.
            event.preventDefault();
            void confirm();
          }}
          error={failure && failureText(failure)}
        />
        <span>
          <Button busy={busy} disabled={token === ''} onClick={() => void confirm()}>
            {t('operator.confirmDo')}
          </Button>
        </span>
        {hasPasskey && (
          <span>
            <PasskeyButton
              purpose="confirm"
              send={async (shown) => {
                await callConsole('POST', '/session/confirm', shown);
                onShown();
              }}
            />
          </span>
        )}
      </span>
    </Banner>
  );
}
