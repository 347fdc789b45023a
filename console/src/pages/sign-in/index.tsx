import { useEffect, useState } from 'preact/hooks';
import type { ApiFailure } from '../../api.ts';
import { isApiFailure } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { passkeyAddress } from '../../passkeys/ask.ts';
import { PasskeyButton } from '../../passkeys/button.tsx';
import { useSignIn } from '../../session.tsx';
import { LanguageSelect } from '../../shell/language-select.tsx';
import { Mark } from '../../shell/shell.tsx';
import { useLinkCode } from '../../sign-in-link.ts';
import { Button, Failure, Field, Page, Skeleton } from '../../ui/index.ts';

/** The first thing that a stranger sees, at every address. The address stays, so that the requested page follows. */
export default function SignIn() {
  const { failure, busy, submit, signIn, fromLink } = useSubmit();
  const [operator, setOperator] = useState(false);
  const [key, setKey] = useState('');
  const [shown, setShown] = useState(false);
  return (
    <main class="alone">
      <p class="brand">
        <Mark />
        {t('common.product')}
      </p>
      <Page title={t('sign-in.title')} lead={t('sign-in.lead')}>
        {fromLink && busy ? (
          <div class="card">
            <p role="status">{t('sign-in.signingIn')}</p>
            <Skeleton lines={3} />
          </div>
        ) : (
          <form
            class={`card sign-in ${operator ? 'operator' : ''}`}
            onSubmit={(event) => {
              event.preventDefault();
              void submit({ key: key.trim() });
            }}
          >
            <fieldset class="tabs">
              <legend class="read-only">{t('sign-in.title')}</legend>
              <Tab name={t('sign-in.owner')} on={!operator} choose={() => setOperator(false)} />
              <Tab name={t('sign-in.operator')} on={operator} choose={() => setOperator(true)} />
            </fieldset>
            {failure && <Failure failure={failure} title={whyNot(failure, fromLink, operator)} />}
            <Field
              label={operator ? t('sign-in.token') : t('sign-in.key')}
              help={operator ? t('sign-in.tokenHelp') : t('sign-in.keyHelp', { prefix: 'ik_mgmt_' })}
              type={shown ? 'text' : 'password'}
              value={key}
              onValue={setKey}
              name="key"
              autocomplete="current-password"
              autocapitalize="off"
              spellcheck={false}
              required
              maxLength={512}
            />
            <div class="actions">
              <Button kind="quiet" aria-pressed={shown} onClick={() => setShown(!shown)}>
                {shown ? t('sign-in.hide') : t('sign-in.show')}
              </Button>
              <Button kind="primary" type="submit" busy={busy}>
                {t('sign-in.submit')}
              </Button>
            </div>
            <p class="muted small">{operator ? t('sign-in.safeOperator') : t('sign-in.safe')}</p>
            <PasskeyButton purpose="sign-in" send={signIn} />
            <PasskeysElsewhere />
          </form>
        )}
      </Page>
      <LanguageSelect />
    </main>
  );
}

/** Explanations of refusals that are known only here. */
function whyNot({ reason }: ApiFailure, fromLink: boolean, operator: boolean): string | undefined {
  if (reason === 'CREDENTIAL_INVALID' && fromLink) return t('common.codeFailed');
  if (reason === 'CREDENTIAL_INVALID' && operator) return t('sign-in.tokenUnknown');
  if (reason === 'SCOPE_MISSING') return t('sign-in.otherKind');
  return undefined;
}

/** There are no passkeys at the machine's IP address: links to its name. */
function PasskeysElsewhere() {
  const address = passkeyAddress();
  if (address === undefined) return null;
  const [before, after] = t('sign-in.passkeyElsewhere', { address: '|' }).split('|', 2);
  return (
    <p class="muted small">
      {before}
      <a href={address}>{new URL(address).origin}</a>
      {after}
    </p>
  );
}

function Tab({ name, on, choose }: { name: string; on: boolean; choose: () => void }) {
  return (
    <label class={on ? 'on' : ''}>
      <input type="radio" name="who" checked={on} onChange={choose} />
      {name}
    </label>
  );
}

/** Sends the key; a link's code is sent at once. */
function useSubmit() {
  const signIn = useSignIn();
  const [failure, setFailure] = useState<ApiFailure>();
  const [code, forgetCode] = useLinkCode();
  const [fromLink, setFromLink] = useState(code !== undefined);
  const [busy, setBusy] = useState(code !== undefined);
  const submit = async (by: { key: string } | { code: string }): Promise<void> => {
    setBusy(true);
    setFailure(undefined);
    setFromLink('code' in by);
    try {
      await signIn(by);
    } catch (thrown) {
      if (!isApiFailure(thrown)) throw thrown;
      setFailure(thrown);
    } finally {
      setBusy(false);
    }
  };
  useEffect(() => {
    if (code === undefined) return;
    forgetCode();
    void submit({ code });
  }, [code]);
  return { failure, busy, submit, signIn, fromLink };
}
