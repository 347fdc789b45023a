import { useState } from 'preact/hooks';
import { t } from '../../i18n/index.ts';
import { useRpcMutation } from '../../query.ts';
import { Button, Dialog, Failure, toast } from '../../ui/index.ts';

/** The caller's own labels, each with a way to erase it everywhere. */
export function Labels({ metadata }: { metadata: Readonly<Record<string, string>> }) {
  const [asked, setAsked] = useState<{ key: string; value: string }>();
  const erase = useRpcMutation('WalletService.EraseMetadata', {
    onSuccess: ({ charges = 0 }) => {
      toast(t('charges.forgotten', { count: charges }));
      if (charges < 10_000) setAsked(undefined);
    },
  });
  const pairs = Object.entries(metadata);
  const label = asked ? `${asked.key}=${asked.value}` : '';
  return (
    <>
      {pairs.length === 0 ? (
        <p class="muted">{t('charges.noLabels')}</p>
      ) : (
        <ul class="charges-labels">
          {pairs.map(([key, value]) => (
            <li key={key}>
              <code>
                {key}={value}
              </code>{' '}
              <Button
                kind="quiet"
                aria-label={t('charges.forget', { label: `${key}=${value}` })}
                onClick={() => setAsked({ key, value })}
              >
                {t('charges.forget', { label: '…' })}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Dialog
        title={t('charges.forgetTitle', { label })}
        open={asked !== undefined}
        onClose={() => setAsked(undefined)}
        actions={
          <>
            <Button onClick={() => setAsked(undefined)}>{t('common.cancel')}</Button>
            <Button kind="danger" busy={erase.isPending} onClick={() => asked && erase.mutate({ metadata: asked })}>
              {t('charges.forgetDo')}
            </Button>
          </>
        }
      >
        <p>{t('charges.forgetText')}</p>
        {erase.data?.charges === 10_000 && <p>{t('charges.forgetMore')}</p>}
        {erase.error && <Failure failure={erase.error} />}
      </Dialog>
    </>
  );
}
