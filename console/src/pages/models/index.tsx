import './models.css';
import type { ModelJson } from '../../../gen/intelligence/chat/v1/chat_pb';
import type { ListModelsResponseJson } from '../../../gen/intelligence/chat/v1/chat_service_pb';
import { formatNumber, t } from '../../i18n/index.ts';
import { useAllRows } from '../../paging.ts';
import { Async, Banner, Curl, Field, Filters, Page, Section, Select, useFilters } from '../../ui/index.ts';
import { Calculator, usageOf } from './calculator.tsx';
import { abilityText, ChatModels, filtered } from './chat-models.tsx';
import { EmbeddingModels, RerankModels, WorkflowPrices } from './other-prices.tsx';

const abilities = ['tools', 'json', 'images', 'reasoning', 'documents', 'audio'];
const contexts = ['8000', '32000', '128000', '200000', '1000000'];
const defaults = { search: '', ability: '', context: '', input: '1000', cached: '0', output: '300', requests: '1000' };

const modelsOf = ({ models }: ListModelsResponseJson) => models;

/** Every model with its abilities and the account's prices, and what planned requests would cost. */
export default function Models() {
  const [values, set] = useFilters(defaults);
  const query = useAllRows('ChatService.ListModels', {}, modelsOf);
  return (
    <Page title={t('models.title')} lead={t('models.lead')}>
      {query.data && isEmbedded(query.data.rows) && (
        <Banner title={t('models.embedded')}>{t('models.embeddedHelp')}</Banner>
      )}
      <Calculator typed={values} onTyped={(change) => set(change, { typing: true })} />
      <Section title={t('models.chat')}>
        <p class="muted small">{t('models.chatHelp')}</p>
        <Filters label={t('models.filter')}>
          <Field
            label={t('models.search')}
            type="search"
            value={values.search}
            onValue={(search) => set({ search }, { typing: true })}
          />
          <Select
            label={t('models.ability')}
            value={values.ability}
            onValue={(ability) => set({ ability })}
            options={[
              { value: '', label: t('models.anyAbility') },
              ...abilities.map((value) => ({ value, label: abilityText(value) })),
            ]}
          />
          <Select
            label={t('models.context')}
            value={values.context}
            onValue={(context) => set({ context })}
            options={[
              { value: '', label: t('models.anyContext') },
              ...contexts.map((value) => ({
                value,
                label: t('models.contextOf', { tokens: formatNumber(Number(value)) }),
              })),
            ]}
          />
        </Filters>
        <Async query={query} lines={8}>
          {({ rows, cut }) => {
            const shown = filtered(rows, values);
            return shown.length === 0 ? (
              <p class="empty">{t('models.noneFound')}</p>
            ) : (
              <>
                <ChatModels models={shown} usage={usageOf(values)} />
                <p class="muted small">
                  {t('models.count', { count: shown.length })}
                  {cut && ` · ${t('models.cut')}`}
                </p>
              </>
            );
          }}
        </Async>
        <Curl name="ChatService.ListModels" request={{}} />
      </Section>
      <EmbeddingModels />
      <RerankModels />
      <WorkflowPrices />
    </Page>
  );
}

/** Whether the embedded model is the only one. */
function isEmbedded(models: readonly ModelJson[]): boolean {
  return models.length > 0 && models.every(({ provider }) => provider === 'builtin');
}
