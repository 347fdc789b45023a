import type { EmbeddingModelJson } from '../../../gen/intelligence/embedding/v1/embedding_pb';
import type { RerankModelJson } from '../../../gen/intelligence/rerank/v1/rerank_pb';
import type { WorkflowPriceJson } from '../../../gen/intelligence/workflow/v1/definition_pb';
import { findText, formatNumber, t } from '../../i18n/index.ts';
import { useRpc } from '../../query.ts';
import { Async, Badge, Curl, Money, Section, Table } from '../../ui/index.ts';

/** Embedding models. */
export function EmbeddingModels() {
  const query = useRpc('EmbeddingService.ListEmbeddingModels', {});
  return (
    <Section title={t('models.embeddings')}>
      <p class="muted small">{t('models.embeddingsHelp')}</p>
      <Async
        query={query}
        isEmpty={({ models = [] }) => models.length === 0}
        empty={<p class="empty">{t('models.embeddingsNone')}</p>}
      >
        {({ models = [] }) => (
          <Table<EmbeddingModelJson>
            caption={t('models.embeddings')}
            rows={models}
            rowKey={({ id, provider }) => `${provider}/${id}`}
            columns={[
              { id: 'model', title: t('models.model'), phone: 'title', cell: OtherModel },
              {
                id: 'dimensions',
                title: t('models.dimensions'),
                align: 'end',
                cell: ({ dimensions }) => formatNumber(dimensions ?? 0),
              },
              {
                id: 'most',
                title: t('models.inputMost'),
                align: 'end',
                cell: ({ inputTokensMax }) => t('models.contextOf', { tokens: formatNumber(inputTokensMax ?? 0) }),
              },
              {
                id: 'in',
                title: t('models.perMillionTokens'),
                align: 'end',
                cell: ({ inputPerMillionUsd }) => <Money usd={inputPerMillionUsd} />,
              },
              {
                id: 'request',
                title: t('models.perRequest'),
                align: 'end',
                cell: ({ perRequestUsd }) => <Money usd={perRequestUsd} />,
              },
            ]}
          />
        )}
      </Async>
      <Curl name="EmbeddingService.ListEmbeddingModels" request={{}} />
    </Section>
  );
}

/** Rerank models, each with what its provider bills. */
export function RerankModels() {
  const query = useRpc('RerankService.ListRerankModels', {});
  return (
    <Section title={t('models.reranks')}>
      <p class="muted small">{t('models.reranksHelp')}</p>
      <Async
        query={query}
        isEmpty={({ models = [] }) => models.length === 0}
        empty={<p class="empty">{t('models.reranksNone')}</p>}
      >
        {({ models = [] }) => (
          <Table<RerankModelJson>
            caption={t('models.reranks')}
            rows={models}
            rowKey={({ id, provider }) => `${provider}/${id}`}
            columns={[
              { id: 'model', title: t('models.model'), phone: 'title', cell: OtherModel },
              {
                id: 'documents',
                title: t('models.documentsMost'),
                align: 'end',
                cell: ({ documentsMax }) => formatNumber(documentsMax ?? 0),
              },
              {
                id: 'most',
                title: t('models.documentMost'),
                align: 'end',
                cell: ({ inputTokensMax }) => t('models.contextOf', { tokens: formatNumber(inputTokensMax ?? 0) }),
              },
              {
                id: 'unit',
                title: t('models.unit'),
                cell: ({ perThousandSearchUnitsUsd: units }) =>
                  t(units === undefined ? 'models.unit-million_tokens' : 'models.unit-thousand_search_units'),
              },
              {
                id: 'price',
                title: t('models.price'),
                align: 'end',
                cell: ({ perThousandSearchUnitsUsd, inputPerMillionUsd }) => (
                  <Money usd={perThousandSearchUnitsUsd ?? inputPerMillionUsd} />
                ),
              },
              {
                id: 'request',
                title: t('models.perRequest'),
                align: 'end',
                cell: ({ perRequestUsd }) => <Money usd={perRequestUsd} />,
              },
            ]}
          />
        )}
      </Async>
      <Curl name="RerankService.ListRerankModels" request={{}} />
    </Section>
  );
}

function OtherModel({ id, provider, ownKey }: { id?: string; provider?: string; ownKey?: boolean }) {
  return (
    <>
      <strong>{id}</strong> {ownKey && <Badge kind="info">{t('models.ownKey')}</Badge>}
      <span class="models-provider muted small">{provider}</span>
    </>
  );
}

/** What is priced per request or per event. */
export function WorkflowPrices() {
  const query = useRpc('WorkflowService.ListPrices', {});
  return (
    <Section title={t('models.workflows')}>
      <p class="muted small">{t('models.workflowsHelp')}</p>
      <Async query={query} lines={6}>
        {({ prices = [] }) => (
          <Table<WorkflowPriceJson>
            caption={t('models.workflows')}
            rows={prices}
            rowKey={({ family }) => family ?? ''}
            columns={[
              {
                id: 'family',
                title: t('models.family'),
                phone: 'title',
                cell: ({ family = '' }) => findText('models', `family-${family}`) ?? family,
              },
              { id: 'price', title: t('models.price'), align: 'end', cell: ({ priceUsd }) => <Money usd={priceUsd} /> },
              {
                id: 'unit',
                title: t('models.unit'),
                cell: ({ unit = '' }) => findText('models', `unit-${unit}`) ?? unit,
              },
            ]}
          />
        )}
      </Async>
    </Section>
  );
}
