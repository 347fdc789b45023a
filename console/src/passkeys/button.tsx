import { useState } from 'preact/hooks';
import { type ApiFailure, isApiFailure } from '../api.ts';
import { findText, t } from '../i18n/index.ts';
import { Failure } from '../ui/async.tsx';
import { Button } from '../ui/button.tsx';
import { askPasskey, hasPasskeys, type PasskeyProblem } from './ask.ts';

interface PasskeyButtonProps {
  purpose: 'sign-in' | 'confirm';
  /** Sends the passkey's answer. Throws an `ApiFailure`. */
  send: (by: { passkey: object }) => Promise<void>;
}

/** Signs in or confirms with a passkey, and says if it failed and why. Renders nothing if the browser has none. */
export function PasskeyButton({ purpose, send }: PasskeyButtonProps) {
  const [problem, setProblem] = useState<PasskeyProblem | ApiFailure>();
  const [busy, setBusy] = useState(false);
  if (!hasPasskeys()) return null;
  const use = async () => {
    setBusy(true);
    setProblem(undefined);
    try {
      const asked = await askPasskey(purpose);
      if ('problem' in asked) setProblem(asked.problem);
      else await send({ passkey: asked.answer });
    } catch (thrown) {
      if (!isApiFailure(thrown)) throw thrown;
      setProblem(thrown);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      {problem !== undefined && <Problem problem={problem} />}
      <Button busy={busy} onClick={() => void use()}>
        {t(purpose === 'sign-in' ? 'common.passkeySignIn' : 'common.passkeyConfirm')}
      </Button>
    </>
  );
}

/** Why a passkey was not used or created. */
export function Problem({ problem }: { problem: PasskeyProblem | ApiFailure }) {
  if (typeof problem === 'object' && problem.reason !== 'CREDENTIAL_INVALID') return <Failure failure={problem} />;
  const name = typeof problem === 'object' ? 'unknown' : problem;
  return (
    <p class="field-error" role="alert">
      {findText('common', `passkey-${name}`)}
    </p>
  );
}
