import { Link } from 'wouter-preact';
import type { ModelJson } from '../../../gen/intelligence/chat/v1/chat_pb';
import { findText, formatNumber, listText, t } from '../../i18n/index.ts';
import { Badge, type Column, Money, Table } from '../../ui/index.ts';
import { costOf, fits, type Usage } from './calculate.ts';

export interface Wanted {
  search: string;
  ability: string;
  context: string;
}

/** The models that meet all filters. */
export function filtered(models: readonly ModelJson[], { search, ability, context }: Wanted): ModelJson[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return models.filter(({ id = '', provider = '', capabilities = [], contextTokens = 0 }) => {
    const name = `${id} ${provider}`.toLowerCase();
    return (
      words.every((word) => name.includes(word)) &&
      (ability === '' || capabilities.includes(ability)) &&
      contextTokens >= Number(context || 0)
    );
  });
}

interface ChatModelsProps {
  models: readonly ModelJson[];
  /** Undefined while the input is not a valid request. */
  usage: Usage | undefined;
}

/** A row for each model, with the cost of the calculator's request. */
export function ChatModels({ models, usage }: ChatModelsProps) {
  const columns: Column<ModelJson>[] = [
    { id: 'model', title: t('models.model'), phone: 'title', cell: (model) => <Name model={model} /> },
    {
      id: 'abilities',
      title: t('models.abilities'),
      cell: ({ capabilities = [] }) => listText(capabilities.map(abilityText)) || '–',
    },
    {
      id: 'context',
      title: t('models.contextTokens'),
      align: 'end',
      cell: ({ contextTokens }) => formatNumber(contextTokens ?? 0),
    },
    {
      id: 'in',
      title: t('models.perMillionIn'),
      align: 'end',
      cell: ({ price }) => <Money usd={price?.inputPerMillionUsd} />,
    },
    {
      id: 'cached',
      title: t('models.perMillionCached'),
      align: 'end',
      cell: ({ price }) =>
        price?.cachedInputPerMillionUsd === undefined ? (
          <span class="muted">{t('models.asInput')}</span>
        ) : (
          <Money usd={price.cachedInputPerMillionUsd} />
        ),
    },
    {
      id: 'out',
      title: t('models.perMillionOut'),
      align: 'end',
      cell: ({ price }) => <Money usd={price?.outputPerMillionUsd} />,
    },
    {
      id: 'request',
      title: t('models.perRequest'),
      align: 'end',
      cell: ({ price }) => <Money usd={price?.perRequestUsd} />,
    },
    {
      id: 'calculated',
      title: t('models.calculated'),
      align: 'end',
      cell: (model) => <Calculated model={model} usage={usage} />,
    },
    {
      id: 'try',
      title: t('models.try'),
      quiet: true,
      align: 'end',
      cell: ({ provider = '', id = '' }) => (
        <Link
          href={`/playground?model=${encodeURIComponent(`${provider}/${id}`)}`}
          aria-label={t('models.tryModel', { model: `${id} (${provider})` })}
        >
          {t('models.try')}
        </Link>
      ),
    },
  ];
  return (
    <Table
      caption={t('models.chat')}
      columns={columns}
      rows={models}
      rowKey={({ id, provider }) => `${provider}/${id}`}
    />
  );
}

function Name({ model: { id, provider, ownKey, price } }: { model: ModelJson }) {
  const [first] = price?.tiers ?? [];
  return (
    <>
      <strong>{id}</strong> {ownKey && <Badge kind="info">{t('models.ownKey')}</Badge>}
      <span class="models-provider muted small">{provider}</span>
      {first && (
        <span class="models-provider muted small">
          {t('models.tiers', { count: price?.tiers?.length ?? 0, tokens: first.aboveInputTokens ?? 0 })}
        </span>
      )}
    </>
  );
}

function Calculated({ model, usage }: { model: ModelJson; usage: Usage | undefined }) {
  if (!usage || !model.price) return <Money usd={undefined} />;
  if (!fits(model, usage)) return <span class="muted">{t('models.tooLong')}</span>;
  return (
    <strong>
      <Money usd={costOf(model.price, usage)} as="cost" />
    </strong>
  );
}

export function abilityText(ability: string): string {
  return findText('models', `ability-${ability}`) ?? ability;
}
