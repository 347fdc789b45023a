import { useState } from 'preact/hooks';
import type { EndpointJson } from '../../../gen/intelligence/webhook/v1/webhook_pb';
import { t } from '../../i18n/index.ts';
import { useRpcMutation } from '../../query.ts';
import { Button, Curl, Dialog, Failure, Field, Select, toast } from '../../ui/index.ts';

interface SecretProps {
  onClose: () => void;
  /** Hands the new secret on; it is nowhere else. */
  onSecret: (shown: { secret: string; url: string }) => void;
}

/** Asks for the URL of a new endpoint. */
export function AddDialog({ open, onClose, onSecret }: SecretProps & { open: boolean }) {
  const [url, setUrl] = useState('');
  const add = useRpcMutation('WebhookService.CreateEndpoint', {
    onSuccess: ({ endpoint, secret = '' }) => {
      onSecret({ secret, url: endpoint?.url ?? '' });
      forget();
    },
  });
  // The reply has the secret: nothing of it stays behind.
  const forget = () => {
    setUrl('');
    add.reset();
  };
  const wrong = add.error?.violations.find(({ field }) => field === 'url')?.description;
  return (
    <Dialog
      title={t('webhooks.addTitle')}
      open={open}
      onClose={() => {
        forget();
        onClose();
      }}
    >
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          add.mutate({ url: url.trim() });
        }}
      >
        {add.error && wrong === undefined && <Failure failure={add.error} />}
        <Field
          label={t('webhooks.url')}
          help={t('webhooks.urlHelp')}
          error={wrong}
          type="url"
          value={url}
          onValue={setUrl}
          placeholder="https://"
          maxLength={2_000}
          required
        />
        <Curl name="WebhookService.CreateEndpoint" request={{ url: url.trim() }} />
        <div class="actions">
          <Button kind="primary" type="submit" busy={add.isPending}>
            {t('webhooks.add')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

interface OfEndpoint {
  /** Undefined: closed. */
  endpoint: EndpointJson | undefined;
}

const overlaps = ['86400', '3600', '604800', '0'] as const;

/** Asks for how long the old secret signs as well. */
export function RotateDialog({ endpoint, onClose, onSecret }: SecretProps & OfEndpoint) {
  const [overlap, setOverlap] = useState<string>(overlaps[0]);
  const rotate = useRpcMutation('WebhookService.RotateEndpointSecret', {
    onSuccess: ({ endpoint: rotated, secret = '' }) => {
      onSecret({ secret, url: rotated?.url ?? '' });
      rotate.reset();
    },
  });
  const request = { endpointId: endpoint?.endpointId ?? '', overlapSeconds: Number(overlap) };
  return (
    <Dialog
      title={t('webhooks.rotateTitle')}
      open={endpoint !== undefined}
      onClose={() => {
        rotate.reset();
        onClose();
      }}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button kind="primary" busy={rotate.isPending} onClick={() => rotate.mutate(request)}>
            {t('webhooks.rotateAction')}
          </Button>
        </>
      }
    >
      {rotate.error && <Failure failure={rotate.error} />}
      <p>{t('webhooks.rotateText', { url: endpoint?.url ?? '' })}</p>
      <Select
        label={t('webhooks.overlap')}
        help={t('webhooks.overlapHelp')}
        value={overlap}
        options={overlaps.map((seconds) => ({ value: seconds, label: t(`webhooks.overlap-${seconds}`) }))}
        onValue={setOverlap}
      />
      <Curl name="WebhookService.RotateEndpointSecret" request={request} />
    </Dialog>
  );
}

/** Asks once more before an endpoint goes. */
export function RemoveDialog({ endpoint, onClose }: OfEndpoint & { onClose: () => void }) {
  const remove = useRpcMutation('WebhookService.DeleteEndpoint', {
    onSuccess: () => {
      toast(t('webhooks.removed'));
      onClose();
    },
  });
  return (
    <Dialog
      title={t('webhooks.removeTitle')}
      open={endpoint !== undefined}
      onClose={() => {
        remove.reset();
        onClose();
      }}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button
            kind="danger"
            busy={remove.isPending}
            onClick={() => remove.mutate({ endpointId: endpoint?.endpointId ?? '' })}
          >
            {t('webhooks.removeAction')}
          </Button>
        </>
      }
    >
      {remove.error && <Failure failure={remove.error} />}
      <p>{t('webhooks.removeText', { url: endpoint?.url ?? '' })}</p>
    </Dialog>
  );
}
