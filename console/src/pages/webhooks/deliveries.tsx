import { useState } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import type { DeliveryJson, EndpointJson } from '../../../gen/intelligence/webhook/v1/webhook_pb';
import { findText, t } from '../../i18n/index.ts';
import { useRowList } from '../../row-list.ts';
import {
  Async,
  type Column,
  Curl,
  Filters,
  More,
  Section,
  Select,
  Table,
  Time,
  timeText,
  useFilters,
} from '../../ui/index.ts';
import { isSoon, useAskAgain } from './ask-again.ts';
import { DeliveryDialog } from './delivery.tsx';
import { answerText, DeliveryState } from './words.tsx';

const states = ['pending', 'delivered', 'failed'] as const;

/** What was sent, with the last answer and the next attempt. Polled while something is waiting. */
export function Deliveries({ endpoints }: { endpoints: readonly EndpointJson[] }) {
  const { endpointId = '' } = useParams();
  const [filters, setFilters] = useFilters({ state: '', endpoint: endpointId });
  const [open, setOpen] = useState<string>();
  const request = {
    ...(filters.state !== '' && { state: filters.state }),
    ...(filters.endpoint !== '' && { endpointId: filters.endpoint }),
  };
  const list = useRowList('WebhookService.ListDeliveries', request, (page) => page.deliveries);
  useAskAgain((list.query.data ?? []).some(isSoon));
  const isFiltered = Object.keys(request).length > 0;
  const urlOf = (id = '') => endpoints.find((each) => each.endpointId === id)?.url ?? t('webhooks.gone');
  const columns: Column<DeliveryJson>[] = [
    {
      id: 'time',
      title: t('webhooks.time'),
      phone: 'title',
      cell: ({ deliveryId, createTime }) => (
        <button
          type="button"
          class="webhooks-open"
          aria-haspopup="dialog"
          aria-label={t('webhooks.open', { time: createTime ? timeText(new Date(createTime)) : '' })}
          onClick={() => setOpen(deliveryId)}
        >
          <Time at={createTime} />
        </button>
      ),
    },
    { id: 'type', title: t('webhooks.type'), cell: ({ type = '' }) => findText('webhooks', `type-${type}`) ?? type },
    { id: 'endpoint', title: t('webhooks.endpoint'), cell: ({ endpointId: id }) => <code>{urlOf(id)}</code> },
    { id: 'state', title: t('webhooks.state'), cell: ({ state }) => <DeliveryState state={state} /> },
    { id: 'attempts', title: t('webhooks.attempts'), align: 'end', cell: ({ attempts = 0 }) => attempts },
    { id: 'answer', title: t('webhooks.answer'), cell: answerText },
    { id: 'next', title: t('webhooks.next'), cell: ({ nextAttemptTime }) => <Time at={nextAttemptTime} /> },
  ];
  return (
    <Section title={t('webhooks.deliveries')}>
      <Filters label={t('webhooks.filters')}>
        <Select
          label={t('webhooks.filterState')}
          value={filters.state}
          options={[
            { value: '', label: t('webhooks.allStates') },
            ...states.map((state) => ({ value: state, label: t(`webhooks.delivery-${state}`) })),
          ]}
          onValue={(state) => setFilters({ state })}
        />
        <Select
          label={t('webhooks.filterEndpoint')}
          value={filters.endpoint}
          options={[
            { value: '', label: t('webhooks.allEndpoints') },
            ...endpoints.map(({ endpointId: id = '', url = '' }) => ({ value: id, label: url })),
          ]}
          onValue={(endpoint) => setFilters({ endpoint })}
        />
      </Filters>
      <Async
        query={list.query}
        lines={6}
        isEmpty={(rows) => rows.length === 0}
        empty={<NoDelivery isFiltered={isFiltered} />}
      >
        {(rows) => (
          <Table
            caption={t('webhooks.deliveries')}
            columns={columns}
            rows={rows}
            rowKey={({ deliveryId = '' }) => deliveryId}
            isCurrent={({ deliveryId }) => deliveryId === open}
          />
        )}
      </Async>
      <More list={list} />
      <Curl name="WebhookService.ListDeliveries" request={request} />
      <DeliveryDialog deliveryId={open} urlOf={urlOf} onClose={() => setOpen(undefined)} />
    </Section>
  );
}

function NoDelivery({ isFiltered }: { isFiltered: boolean }) {
  if (isFiltered) return <p class="empty">{t('webhooks.noneMatch')}</p>;
  return (
    <div class="empty">
      <p>{t('webhooks.noDeliveries')}</p>
      <p class="small">{t('webhooks.noDeliveriesHelp')}</p>
    </div>
  );
}
