import { useEffect, useState } from 'preact/hooks';
import type { KeyJson } from '../../gen/intelligence/key/v1/key_pb';
import { t } from '../i18n/index.ts';
import { useSession } from '../session.tsx';
import { Banner, Button, Dialog, Failure, Select } from '../ui/index.ts';
import { showSecret } from './show-secret.tsx';
import { useSecretCall } from './use-secret-call.ts';

const hourMs = 3_600_000;

/** Replaces the secret of a key, and shows the new one once. */
export function RotateDialog({ target, onClose }: { target: KeyJson | undefined; onClose: () => void }) {
  const session = useSession();
  const [overlap, setOverlap] = useState('0');
  const { run, busy, failure, reset } = useSecretCall('KeyService.RotateKey');
  useEffect(() => {
    setOverlap('0');
    reset();
  }, [target?.keyId]);
  const isOwn = target?.keyId === session.keyId;
  const rotate = async () => {
    if (!target?.keyId) return;
    const reply = await run({ keyId: target.keyId, overlapSeconds: Number(overlap) });
    if (!reply?.secret) return;
    onClose();
    showSecret({
      title: t('keys.rotated', { name: target.displayName ?? '' }),
      secret: reply.secret,
      help: <p>{isOwn ? t('keys.rotatedOwn') : t('keys.rotatedHelp')}</p>,
    });
  };
  return (
    <Dialog
      title={t('keys.rotateTitle', { name: target?.displayName ?? '' })}
      open={target !== undefined}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button kind="primary" busy={busy} onClick={() => void rotate()}>
            {t('keys.rotate')}
          </Button>
        </>
      }
    >
      <p>{t('keys.rotateHelp')}</p>
      {isOwn && (
        <Banner kind="warning" title={t('keys.rotateOwn')}>
          {t('keys.rotateOwnHelp')}
        </Banner>
      )}
      {!isOwn && overlap === '0' && usedLately(target) && (
        <Banner kind="warning" title={t('keys.usedLately')}>
          {t('keys.rotateUsedHelp')}
        </Banner>
      )}
      {failure && <Failure failure={failure} />}
      <Select
        label={t('keys.overlap')}
        help={t('keys.overlapHelp')}
        value={overlap}
        onValue={setOverlap}
        options={[
          { value: '0', label: t('keys.overlapNone') },
          { value: '3600', label: t('keys.overlapHour') },
          { value: '86400', label: t('keys.overlapDay') },
          { value: '604800', label: t('keys.overlapWeek') },
        ]}
      />
    </Dialog>
  );
}

/** Whether a key was used within the last hour: something depends on it. */
export function usedLately(key: KeyJson | undefined): boolean {
  return key?.lastUsedTime !== undefined && Date.now() - Date.parse(key.lastUsedTime) < hourMs;
}
