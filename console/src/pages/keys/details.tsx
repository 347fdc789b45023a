import type { UseQueryResult } from '@tanstack/preact-query';
import type { GuardrailJson, KeyJson } from '../../../gen/intelligence/key/v1/key_pb';
import type { ApiFailure } from '../../api.ts';
import { LimitsTable } from '../../credentials/limits-table.tsx';
import { findText, listText, t } from '../../i18n/index.ts';
import type { AllRows } from '../../paging.ts';
import { Async, Banner, Button, CopyButton, Curl, Dialog, Time } from '../../ui/index.ts';
import { KeyState, Spent } from './list.tsx';

interface KeyDetailsProps {
  /** Undefined: closed. */
  keyId: string | undefined;
  keys: UseQueryResult<AllRows<KeyJson>, ApiFailure>;
  onClose: () => void;
  onStep: (what: 'edit' | 'rotate' | 'revoke', key: KeyJson) => void;
}

/** One key in a panel at the side. */
export function KeyDetails({ keyId, keys, onClose, onStep }: KeyDetailsProps) {
  const found = keys.data?.rows.find((key) => key.keyId === keyId);
  return (
    <Dialog
      title={found?.displayName ?? t('keys.details')}
      open={keyId !== undefined}
      kind="side"
      onClose={onClose}
      actions={
        found?.state === 'active' && (
          <>
            <Button kind="danger" onClick={() => onStep('revoke', found)}>
              {t('keys.revoke')}
            </Button>
            <Button onClick={() => onStep('rotate', found)}>{t('keys.rotate')}</Button>
            <Button kind="primary" onClick={() => onStep('edit', found)}>
              {t('keys.edit')}
            </Button>
          </>
        )
      }
    >
      <Async query={keys} lines={8}>
        {() => (found ? <Facts of={found} /> : <Banner kind="warning" title={t('keys.notFound')} />)}
      </Async>
    </Dialog>
  );
}

function Facts({ of: key }: { of: KeyJson }) {
  const { keyId = '', state = '', purpose, scopes = [], lastFour, guardrails, allowedOrigins = [] } = key;
  const times = [
    ['made', key.createTime],
    ['lastUsed', key.lastUsedTime],
    ['rotatedAt', key.rotateTime],
    ['previousUntil', key.previousSecretExpireTime],
    ['expires', key.expireTime],
    ['revokedAt', key.revokeTime],
  ] as const;
  return (
    <>
      <p>{purpose}</p>
      <dl class="pairs">
        <dt>{t('keys.state')}</dt>
        <dd>
          <KeyState state={state} />
        </dd>
        <dt>{t('keys.spent')}</dt>
        <dd>
          <Spent of={key} />
        </dd>
        <dt>{t('keys.scopes')}</dt>
        <dd>{listText(scopes.map((scope) => findText('keys', `scope-${scope}`) ?? scope)) || t('keys.nothing')}</dd>
        {times.map(
          ([name, at]) =>
            at !== undefined && [
              <dt key={`${name}-name`}>{t(`keys.${name}`)}</dt>,
              <dd key={name}>
                <Time at={at} as="full" />
              </dd>,
            ],
        )}
        <dt>{t('keys.guardrails')}</dt>
        <dd>
          {guardrailText(t('keys.toModel'), guardrails?.input)}
          <br />
          {guardrailText(t('keys.fromModel'), guardrails?.output)}
        </dd>
        <dt>{t('keys.origins')}</dt>
        <dd>{allowedOrigins.length > 0 ? <code>{allowedOrigins.join(' ')}</code> : t('keys.nothing')}</dd>
        <dt>{t('keys.lastFour')}</dt>
        <dd>
          <code>…{lastFour}</code>
        </dd>
        <dt>{t('keys.id')}</dt>
        <dd>
          <code>{keyId}</code> <CopyButton text={keyId} />
        </dd>
      </dl>
      {state === 'active' && (
        <>
          <h3>{t('keys.limits')}</h3>
          <LimitsTable keyId={keyId} level="key" />
        </>
      )}
      <Curl name="KeyService.GetKey" request={{ keyId }} />
    </>
  );
}

function guardrailText(name: string, guardrail: GuardrailJson | undefined): string {
  const action = guardrail?.action ?? '';
  return `${name}: ${findText('keys', `guard-${action}`) ?? action}`;
}
