import { useState } from 'preact/hooks';
import type { EndpointJson } from '../../../gen/intelligence/webhook/v1/webhook_pb';
import { t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Button, Page } from '../../ui/index.ts';
import { Deliveries } from './deliveries.tsx';
import { AddDialog, RemoveDialog, RotateDialog } from './dialogs.tsx';
import { Endpoints } from './endpoints.tsx';
import './webhooks.css';

/** The open dialog, and its endpoint. */
type Open = { what: 'add' } | { what: 'rotate' | 'remove'; endpoint: EndpointJson };

/** Where the account is notified of events, and what happened to each message. */
export default function Webhooks() {
  // An account has at most ten.
  const endpoints = useRpc('WebhookService.ListEndpoints', { pageSize: 100 });
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <Page
      title={t('webhooks.title')}
      lead={t('webhooks.lead')}
      actions={
        <Button kind="primary" onClick={() => setOpen({ what: 'add' })}>
          {t('webhooks.add')}
        </Button>
      }
    >
      <Endpoints
        query={endpoints}
        onRotate={(endpoint) => setOpen({ what: 'rotate', endpoint })}
        onRemove={(endpoint) => setOpen({ what: 'remove', endpoint })}
      />
      <Deliveries endpoints={endpoints.data?.endpoints ?? []} />
      <AddDialog open={open?.what === 'add'} onClose={close} />
      <RotateDialog endpoint={open?.what === 'rotate' ? open.endpoint : undefined} onClose={close} />
      <RemoveDialog endpoint={open?.what === 'remove' ? open.endpoint : undefined} onClose={close} />
    </Page>
  );
}
