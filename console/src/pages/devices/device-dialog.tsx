import { useState } from 'preact/hooks';
import type { DeviceJson } from '../../../gen/intelligence/token/v1/device_pb';
import { findText, listText, t } from '../../i18n/index.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { Banner, Button, Curl, Dialog, Failure, Money, Time, toast } from '../../ui/index.ts';
import { DeviceState, scopeText } from './words.tsx';

interface DeviceDialogProps {
  /** Undefined: closed. */
  device: DeviceJson | undefined;
  clientName: string;
  onClose: () => void;
}

/** One device: its permissions, its owner, why it ended, and a way to end it. */
export function DeviceDialog({ device: listed, clientName, onClose }: DeviceDialogProps) {
  const request = { deviceId: listed?.deviceId ?? '' };
  const read = useRpc('TokenService.GetDevice', request, { enabled: listed !== undefined });
  const device = read.data?.device ?? listed ?? {};
  const [isSure, setIsSure] = useState(false);
  const revoke = useRpcMutation('TokenService.RevokeDevice', {
    onSuccess: () => {
      setIsSure(false);
      toast(t('devices.revoked'));
    },
  });
  const close = () => {
    setIsSure(false);
    revoke.reset();
    onClose();
  };
  return (
    <Dialog
      title={device.displayName ?? t('devices.device')}
      kind="side"
      open={listed !== undefined}
      onClose={close}
      actions={
        device.state !== 'active' ? undefined : isSure ? (
          <>
            <Button onClick={() => setIsSure(false)}>{t('common.cancel')}</Button>
            <Button kind="danger" busy={revoke.isPending} onClick={() => revoke.mutate(request)}>
              {t('devices.revoke')}
            </Button>
          </>
        ) : (
          <Button kind="danger" onClick={() => setIsSure(true)}>
            {t('devices.revoke')}
          </Button>
        )
      }
    >
      <WhyEnded device={device} />
      <dl class="pairs">
        <dt>{t('devices.state')}</dt>
        <dd>
          <DeviceState state={device.state} />
        </dd>
        <dt>{t('devices.subject')}</dt>
        <dd>{device.subject}</dd>
        <dt>{t('devices.client')}</dt>
        <dd>{clientName}</dd>
        <dt>{t('devices.scopes')}</dt>
        <dd>{listText((device.scopes ?? []).map(scopeText))}</dd>
        <dt>{t('devices.models')}</dt>
        <dd>{device.models && device.models.length > 0 ? listText(device.models) : t('devices.allModels')}</dd>
        <dt>{t('devices.cap')}</dt>
        <dd>{device.spendingCapUsd === undefined ? t('devices.noCap') : <Money usd={device.spendingCapUsd} />}</dd>
        <dt>{t('devices.approved')}</dt>
        <dd>
          <Time at={device.createTime} as="full" />
        </dd>
        <dt>{t('devices.approvedBy')}</dt>
        <dd>
          <code>{device.approvedBy}</code>
        </dd>
        <dt>{t('devices.lastUsed')}</dt>
        <dd>{device.lastUsedTime === undefined ? t('devices.never') : <Time at={device.lastUsedTime} as="full" />}</dd>
        <dt>{t('devices.expires')}</dt>
        <dd>
          <Time at={device.expireTime} as="full" />
        </dd>
        {device.revokeTime !== undefined && (
          <>
            <dt>{t('devices.ended')}</dt>
            <dd>
              <Time at={device.revokeTime} as="full" />
            </dd>
          </>
        )}
      </dl>
      {isSure && (
        <Banner kind="warning" title={t('devices.revokeTitle')}>
          {t('devices.revokeText', { name: device.displayName ?? '', subject: device.subject ?? '' })}
        </Banner>
      )}
      {revoke.error && <Failure failure={revoke.error} />}
      {listed && <Curl name="TokenService.RevokeDevice" request={request} />}
    </Dialog>
  );
}

function WhyEnded({ device: { state, revokeReason = '' } }: { device: DeviceJson }) {
  if (state === 'expired') return <Banner kind="warning" title={t('devices.whyExpired')} />;
  if (state !== 'revoked') return null;
  return <Banner kind="danger" title={findText('devices', `reason-${revokeReason}`) ?? revokeReason} />;
}
