import { useState } from 'preact/hooks';
import { type ApiFailure, isApiFailure } from '../api.ts';
import { t } from '../i18n/index.ts';
import { nameOf, signInInstead, useSession } from '../session.tsx';
import { useLinkCode } from '../sign-in-link.ts';
import { Failure } from '../ui/async.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';

/** Shown when a signed-in user opens a sign-in link: asks first, because a link may be anybody's. Nothing is sent before that. */
export function OtherSignIn() {
  const session = useSession();
  const [code, forget] = useLinkCode();
  const [failure, setFailure] = useState<ApiFailure>();
  const [busy, setBusy] = useState(false);
  const close = () => {
    setFailure(undefined);
    forget();
  };
  const signIn = async (by: string) => {
    setBusy(true);
    try {
      await signInInstead(by);
    } catch (thrown) {
      if (!isApiFailure(thrown)) throw thrown;
      setFailure(thrown);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('common.linkTitle')}
      open={code !== undefined}
      onClose={close}
      actions={
        <>
          <Button onClick={close}>{t('common.linkStay')}</Button>
          <Button kind="primary" busy={busy} onClick={() => code !== undefined && void signIn(code)}>
            {t('common.linkDo')}
          </Button>
        </>
      }
    >
      {failure && (
        <Failure
          failure={failure}
          title={failure.reason === 'CREDENTIAL_INVALID' ? t('common.codeFailed') : undefined}
        />
      )}
      <p>{t('common.linkText', { name: nameOf(session) })}</p>
    </Dialog>
  );
}
