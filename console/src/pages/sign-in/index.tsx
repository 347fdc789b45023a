import { useEffect, useRef, useState } from 'preact/hooks';
import type { ApiFailure } from '../../api.ts';
import { isApiFailure } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { useSignIn } from '../../session.tsx';
import { Mark } from '../../shell/shell.tsx';
import { Banner, Button, Failure, Field, Page, Skeleton } from '../../ui/index.ts';

/** The first thing that a stranger sees, on every address. The address stays: after it the page is the one that was asked for. */
export default function SignIn() {
  const { failure, busy, submit, fromLink } = useSubmit();
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
            {fromLink && failure && <Banner kind="warning" title={t('sign-in.codeFailed')} />}
            {!fromLink && failure && <Failure failure={failure} />}
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
            <p class="muted small">{t('sign-in.safe')}</p>
          </form>
        )}
      </Page>
    </main>
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

/** Sends the key; a code in the address's fragment is sent at once, and taken out of the address before. */
function useSubmit() {
  const signIn = useSignIn();
  const [failure, setFailure] = useState<ApiFailure>();
  const [code] = useState(takeCode);
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
  const started = useRef(false);
  useEffect(() => {
    if (code === undefined || started.current) return;
    started.current = true;
    void submit({ code });
  });
  return { failure, busy, submit, fromLink };
}

function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}
