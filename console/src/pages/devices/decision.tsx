import { useState } from 'preact/hooks';
import type { DeviceAuthorizationJson } from '../../../gen/intelligence/token/v1/device_pb';
import { t } from '../../i18n/index.ts';
import { useRpcMutation } from '../../query.ts';
import { typedUsd, usdOf } from '../../typed-usd.ts';
import { AmountField, Banner, Button, Failure, Field } from '../../ui/index.ts';
import { scopeText } from './words.tsx';

interface DecisionProps {
  asked: DeviceAuthorizationJson;
  onDecided: (outcome: 'approved' | 'denied') => void;
}

/** Approves a device for a stated purpose, or denies it. Nothing can be decided before the codes have been compared. */
export function Decision({ asked: { userCode = '', scopes: wanted = [] }, onDecided }: DecisionProps) {
  const [isSame, setIsSame] = useState(false);
  const [subject, setSubject] = useState('');
  const [scopes, setScopes] = useState<readonly string[]>(wanted);
  const [cap, setCap] = useState('');
  const [displayName, setDisplayName] = useState('');
  const approve = useRpcMutation('TokenService.ApproveDevice', { onSuccess: () => onDecided('approved') });
  const deny = useRpcMutation('TokenService.DenyDevice', { onSuccess: () => onDecided('denied') });
  const isCapWrong = cap.trim() !== '' && !((typedUsd(cap) ?? 0n) > 0n);
  const failure = approve.error ?? deny.error;
  const toggle = (scope: string) =>
    setScopes(wanted.filter((each) => (each === scope ? !scopes.includes(each) : scopes.includes(each))));
  return (
    <form
      class="form"
      onSubmit={(event) => {
        event.preventDefault();
        if (!isSame || isCapWrong || scopes.length === 0) return;
        approve.mutate({
          userCode,
          subject: subject.trim(),
          scopes: [...scopes],
          ...(cap.trim() !== '' && { spendingCapUsd: usdOf(cap) }),
          ...(displayName.trim() !== '' && { displayName: displayName.trim() }),
        });
      }}
    >
      <Banner kind="warning" title={t('devices.compare')}>
        {t('devices.compareHelp')}
      </Banner>
      <label class="check">
        <input type="checkbox" checked={isSame} onChange={(event) => setIsSame(event.currentTarget.checked)} />
        <span>
          {t('devices.same')}: <strong class="devices-same">{userCode}</strong>
        </span>
      </label>
      <div class="halves devices-decision">
        <Field
          label={t('devices.subject')}
          help={t('devices.subjectHelp')}
          value={subject}
          onValue={setSubject}
          maxLength={128}
          autocomplete="off"
          required
        />
        <Field
          label={t('devices.deviceName')}
          help={t('devices.deviceNameHelp')}
          value={displayName}
          onValue={setDisplayName}
          maxLength={200}
          autocomplete="off"
        />
        <AmountField
          label={t('devices.cap')}
          help={t('devices.capHelp')}
          error={isCapWrong ? t('devices.capWrong') : undefined}
          value={cap}
          onValue={setCap}
        />
        <fieldset class="devices-scopes">
          <legend>{t('devices.mayUse')}</legend>
          {wanted.map((scope) => (
            <label key={scope} class="check">
              <input type="checkbox" checked={scopes.includes(scope)} onChange={() => toggle(scope)} />
              {scopeText(scope)}
            </label>
          ))}
          {scopes.length === 0 && (
            <p class="field-error" role="alert">
              {t('devices.oneScope')}
            </p>
          )}
        </fieldset>
      </div>
      {failure &&
        (failure.reason === 'NOT_FOUND' ? (
          <Banner kind="danger" title={t('devices.code-NOT_FOUND')} />
        ) : (
          <Failure failure={failure} />
        ))}
      <div class="actions">
        <Button busy={deny.isPending} disabled={approve.isPending} onClick={() => deny.mutate({ userCode })}>
          {t('devices.deny')}
        </Button>
        <Button
          kind="primary"
          type="submit"
          busy={approve.isPending}
          disabled={!isSame || deny.isPending || isCapWrong || scopes.length === 0}
        >
          {t('devices.approve')}
        </Button>
      </div>
    </form>
  );
}
