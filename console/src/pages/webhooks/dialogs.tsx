import { useState } from 'preact/hooks';
import type { EndpointJson } from '../../../gen/intelligence/webhook/v1/webhook_pb';
import { showSecret } from '../../credentials/show-secret.tsx';
import { useSecretCall } from '../../credentials/use-secret-call.ts';
import { t } from '../../i18n/index.ts';
import { useRpcMutation } from '../../query.ts';
import { Button, Code, Curl, Dialog, Failure, Field, Select, toast } from '../../ui/index.ts';

const verify = `import { Webhook } from 'standardwebhooks';

const message = new Webhook(process.env.WEBHOOK_SECRET).verify(body, headers);`;

/** The secret stays until the user has kept it, even when the page below goes away. */
function showEndpointSecret(secret: string, url: string): void {
  showSecret({
    title: t('webhooks.secretTitle'),
    secret,
    help: (
      <>
        <p>{t('webhooks.secretUse', { url })}</p>
        <Code text={verify} />
      </>
    ),
  });
}

/** Asks for the URL of a new endpoint. */
export function AddDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const [url, setUrl] = useState('');
  const create = useSecretCall('WebhookService.CreateEndpoint');
  const add = async () => {
    const reply = await create.run({ url: url.trim() });
    if (!reply?.secret) return;
    close();
    showEndpointSecret(reply.secret, reply.endpoint?.url ?? '');
  };
  const close = () => {
    setUrl('');
    create.reset();
    onClose();
  };
  const { failure } = create;
  const wrong = failure?.violations.find(({ field }) => field === 'url')?.description;
  return (
    <Dialog title={t('webhooks.addTitle')} open={open} onClose={close}>
      <form
        class="form"
        onSubmit={(event) => {
          event.preventDefault();
          void add();
        }}
      >
        {failure && wrong === undefined && <Failure failure={failure} />}
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
          <Button kind="primary" type="submit" busy={create.busy}>
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
  onClose: () => void;
}

const overlaps = ['86400', '3600', '604800', '0'] as const;

/** Asks how long the old secret should sign as well. */
export function RotateDialog({ endpoint, onClose }: OfEndpoint) {
  const [overlap, setOverlap] = useState<string>(overlaps[0]);
  const { run, busy, failure, reset } = useSecretCall('WebhookService.RotateEndpointSecret');
  const request = { endpointId: endpoint?.endpointId ?? '', overlapSeconds: Number(overlap) };
  const rotate = async () => {
    const reply = await run(request);
    if (!reply?.secret) return;
    onClose();
    showEndpointSecret(reply.secret, reply.endpoint?.url ?? '');
  };
  return (
    <Dialog
      title={t('webhooks.rotateTitle')}
      open={endpoint !== undefined}
      onClose={() => {
        reset();
        onClose();
      }}
      actions={
        <>
          <Button onClick={onClose}>{t('common.cancel')}</Button>
          <Button kind="primary" busy={busy} onClick={() => void rotate()}>
            {t('webhooks.rotateAction')}
          </Button>
        </>
      }
    >
      {failure && <Failure failure={failure} />}
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

/** Asks for confirmation before removing an endpoint. */
export function RemoveDialog({ endpoint, onClose }: OfEndpoint) {
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
