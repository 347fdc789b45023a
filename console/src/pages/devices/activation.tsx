import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { DeviceAuthorizationJson } from '../../../gen/intelligence/token/v1/device_pb';
import type { ApiFailure } from '../../api.ts';
import { findText, listText, t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, Banner, Curl, failureText, Page, Time } from '../../ui/index.ts';
import { CodeForm } from './code-form.tsx';
import { Decision } from './decision.tsx';
import { isAboutCode, scopeText } from './words.tsx';

/** What one device asks for, to be compared and decided. A link only brings a person here; it decides nothing. */
export function Activation({ userCode }: { userCode: string }) {
  return (
    <Page
      title={t('devices.activateTitle')}
      actions={
        <Link class="button" href="/devices">
          {t('devices.back')}
        </Link>
      }
    >
      {userCode === '' ? (
        <section class="card">
          <CodeForm />
        </section>
      ) : (
        <Asked userCode={userCode} />
      )}
    </Page>
  );
}

function Asked({ userCode }: { userCode: string }) {
  const [outcome, setOutcome] = useState<'approved' | 'denied'>();
  const query = useRpc('TokenService.GetDeviceAuthorization', { userCode }, { staleTime: 0 });
  if (outcome) return <Outcome outcome={outcome} />;
  if (query.data === undefined && query.error && isAboutCode(query.error)) return <NoSuchCode failure={query.error} />;
  return (
    <Async query={query} lines={10}>
      {({ deviceAuthorization: asked = {} }) => (
        <section class="card">
          <h2>{t('devices.asks', { name: asked.client?.displayName ?? '' })}</h2>
          <Wish asked={asked} />
          {asked.state === 'pending' && asked.client?.state === 'active' ? (
            <Decision asked={asked} onDecided={setOutcome} />
          ) : (
            <Undecidable asked={asked} />
          )}
          <Curl name="TokenService.GetDeviceAuthorization" request={{ userCode }} />
        </section>
      )}
    </Async>
  );
}

function Wish({ asked }: { asked: DeviceAuthorizationJson }) {
  return (
    <div class="devices-wish">
      <div class="devices-code">
        <span class="muted">{t('devices.compare')}</span>
        <output>{asked.userCode}</output>
      </div>
      <dl class="pairs">
        <dt>{t('devices.client')}</dt>
        <dd>
          {asked.client?.displayName} <code class="muted small">{asked.client?.clientId}</code>
        </dd>
        <dt>{t('devices.wants')}</dt>
        <dd>{listText((asked.scopes ?? []).map(scopeText))}</dd>
        <dt>{t('devices.asked')}</dt>
        <dd>
          <Time at={asked.createTime} as="full" />
        </dd>
        <dt>{t('devices.from')}</dt>
        <dd>{asked.network ? <code>{asked.network}</code> : t('devices.unknownPlace')}</dd>
        <dt>{t('devices.until')}</dt>
        <dd>
          <Time at={asked.expireTime} as="full" />
        </dd>
      </dl>
    </div>
  );
}

function Undecidable({ asked: { state = '' } }: { asked: DeviceAuthorizationJson }) {
  const reason = state === 'pending' ? t('devices.clientDisabled') : (findText('devices', `decided-${state}`) ?? state);
  return (
    <>
      <Banner kind="warning" title={reason} />
      <h3>{t('devices.anotherCode')}</h3>
      <CodeForm />
    </>
  );
}

function Outcome({ outcome }: { outcome: 'approved' | 'denied' }) {
  return (
    <>
      {outcome === 'approved' ? (
        <Banner kind="good" title={t('devices.isApproved')}>
          {t('devices.isApprovedText')}
        </Banner>
      ) : (
        <Banner title={t('devices.isDenied')}>{t('devices.isDeniedText')}</Banner>
      )}
      <section class="card">
        <h2>{t('devices.anotherCode')}</h2>
        <CodeForm />
      </section>
    </>
  );
}

function NoSuchCode({ failure }: { failure: ApiFailure }) {
  return (
    <section class="card">
      <Banner kind="danger" title={findText('devices', `code-${failure.reason}`) ?? failureText(failure)} />
      <CodeForm />
    </section>
  );
}
