import type { UseQueryResult } from '@tanstack/preact-query';
import type { EndpointJson } from '../../../gen/intelligence/webhook/v1/webhook_pb';
import type { ListEndpointsResponseJson } from '../../../gen/intelligence/webhook/v1/webhook_service_pb';
import type { ApiFailure } from '../../api.ts';
import { findText, t } from '../../i18n/index.ts';
import { useRpcMutation } from '../../query.ts';
import {
  Async,
  Badge,
  Banner,
  Button,
  Code,
  type Column,
  Curl,
  Failure,
  Section,
  Table,
  Time,
  timeText,
  toast,
} from '../../ui/index.ts';

interface EndpointsProps {
  query: UseQueryResult<ListEndpointsResponseJson, ApiFailure>;
  onRotate: (endpoint: EndpointJson) => void;
  onRemove: (endpoint: EndpointJson) => void;
}

const example = `{"type": "wallet.low_balance", "timestamp": "2026-05-01T12:01:00.000Z",
 "data": {"wallet": "api", "balanceUsd": "1.999999999", "thresholdUsd": "2.00", "paused": false}}`;

/** The account's endpoints, each with its actions. */
export function Endpoints({ query, onRotate, onRemove }: EndpointsProps) {
  const test = useRpcMutation('WebhookService.TestEndpoint', { onSuccess: () => toast(t('webhooks.tested')) });
  const columns: Column<EndpointJson>[] = [
    { id: 'url', title: t('webhooks.url'), phone: 'title', cell: ({ url }) => <code>{url}</code> },
    { id: 'state', title: t('webhooks.state'), cell: (endpoint) => <State endpoint={endpoint} /> },
    { id: 'created', title: t('webhooks.created'), cell: ({ createTime }) => <Time at={createTime} /> },
    {
      id: 'actions',
      title: t('webhooks.actions'),
      align: 'end',
      cell: (endpoint) => {
        const { endpointId = '', url = '', state } = endpoint;
        return (
          <div class="actions">
            {state === 'active' && (
              <>
                <Button
                  kind="quiet"
                  busy={test.isPending && test.variables?.endpointId === endpointId}
                  aria-label={t('webhooks.testFor', { url })}
                  onClick={() => test.mutate({ endpointId })}
                >
                  {t('webhooks.test')}
                </Button>
                <Button
                  kind="quiet"
                  aria-label={t('webhooks.rotateFor', { url })}
                  aria-haspopup="dialog"
                  onClick={() => onRotate(endpoint)}
                >
                  {t('webhooks.rotate')}
                </Button>
              </>
            )}
            <Button
              kind="quiet"
              aria-label={t('webhooks.removeFor', { url })}
              aria-haspopup="dialog"
              onClick={() => onRemove(endpoint)}
            >
              {t('webhooks.remove')}
            </Button>
          </div>
        );
      },
    },
  ];
  return (
    <Section title={t('webhooks.endpoints')}>
      {test.error && <Failure failure={test.error} />}
      <Async query={query} lines={3} isEmpty={({ endpoints = [] }) => endpoints.length === 0} empty={<NoEndpoint />}>
        {({ endpoints = [] }) => (
          <>
            {endpoints.some(({ state }) => state === 'disabled') && (
              <Banner kind="warning" title={t('webhooks.disabled')}>
                {t('webhooks.disabledHelp')}
              </Banner>
            )}
            <Table
              caption={t('webhooks.endpoints')}
              columns={columns}
              rows={endpoints}
              rowKey={({ endpointId = '' }) => endpointId}
            />
          </>
        )}
      </Async>
    </Section>
  );
}

function State({ endpoint: { state = '', previousSecretExpireTime } }: { endpoint: EndpointJson }) {
  return (
    <>
      <Badge kind={state === 'active' ? 'good' : 'danger'}>{findText('webhooks', `state-${state}`) ?? state}</Badge>
      {previousSecretExpireTime !== undefined && (
        <p class="muted small">
          {t('webhooks.twoSecrets', { time: timeText(new Date(previousSecretExpireTime), 'full') })}
        </p>
      )}
    </>
  );
}

function NoEndpoint() {
  return (
    <div class="webhooks-none">
      <p>
        <strong>{t('webhooks.none')}</strong>
      </p>
      <p class="muted">{t('webhooks.noneHelp')}</p>
      <Code text={example} />
      <Curl name="WebhookService.CreateEndpoint" request={{ url: 'https://example.com/hooks' }} />
    </div>
  );
}
