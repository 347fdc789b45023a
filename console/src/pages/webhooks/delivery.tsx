import { t } from '../../i18n/index.ts';
import { useRpc, useRpcMutation } from '../../query.ts';
import { Async, Button, Code, Curl, Dialog, Failure, Time, toast } from '../../ui/index.ts';
import { isSoon, useAskAgain } from './ask-again.ts';
import { answerText, DeliveryState } from './words.tsx';

interface DeliveryDialogProps {
  /** Undefined: closed. */
  deliveryId: string | undefined;
  urlOf: (endpointId: string | undefined) => string;
  onClose: () => void;
}

/** One delivery: its state, and what is posted. */
export function DeliveryDialog({ deliveryId, urlOf, onClose }: DeliveryDialogProps) {
  const request = { deliveryId: deliveryId ?? '' };
  const query = useRpc('WebhookService.GetDelivery', request, { enabled: deliveryId !== undefined });
  const { delivery: read } = query.data ?? {};
  // Even if the list behind it shows another state.
  useAskAgain(deliveryId !== undefined && read !== undefined && isSoon(read));
  const retry = useRpcMutation('WebhookService.RetryDelivery', { onSuccess: () => toast(t('webhooks.retried')) });
  return (
    <Dialog
      title={t('webhooks.delivery')}
      kind="side"
      open={deliveryId !== undefined}
      onClose={() => {
        retry.reset();
        onClose();
      }}
      actions={
        <Button busy={retry.isPending} onClick={() => retry.mutate(request)}>
          {t('webhooks.again')}
        </Button>
      }
    >
      <Async query={query} lines={10}>
        {({ delivery = {}, payload = '' }) => (
          <>
            <dl class="pairs">
              <dt>{t('webhooks.state')}</dt>
              <dd>
                <DeliveryState state={delivery.state} />
              </dd>
              <dt>{t('webhooks.endpoint')}</dt>
              <dd>
                <code>{urlOf(delivery.endpointId)}</code>
              </dd>
              <dt>{t('webhooks.messageId')}</dt>
              <dd>
                <code>{delivery.messageId}</code>
              </dd>
              <dt>{t('webhooks.attempts')}</dt>
              <dd>{delivery.attempts ?? 0}</dd>
              <dt>{t('webhooks.answer')}</dt>
              <dd>{answerText(delivery)}</dd>
              <dt>{t('webhooks.time')}</dt>
              <dd>
                <Time at={delivery.createTime} as="full" />
              </dd>
              <dt>{t('webhooks.lastAttempt')}</dt>
              <dd>
                <Time at={delivery.lastAttemptTime} as="full" />
              </dd>
              <dt>{t('webhooks.next')}</dt>
              <dd>
                <Time at={delivery.nextAttemptTime} as="full" />
              </dd>
            </dl>
            <h3>{t('webhooks.payload')}</h3>
            <Code text={payload} />
          </>
        )}
      </Async>
      {retry.error && <Failure failure={retry.error} />}
      <p class="muted small">{t('webhooks.againHelp')}</p>
      {deliveryId !== undefined && <Curl name="WebhookService.RetryDelivery" request={request} />}
    </Dialog>
  );
}
