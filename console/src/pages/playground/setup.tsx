import { t } from '../../i18n/index.ts';
import { type Key, KeyChoice } from '../../paying/key-choice.tsx';
import { Button, Field, Select, TextArea } from '../../ui/index.ts';
import type { ChatStore } from './chat-store.ts';
import { type Column, type Model, modelOf, type Settings } from './conversation.ts';

interface SetupProps {
  store: ChatStore;
  models: readonly Model[];
  keys: readonly Key[];
  keyId: string;
  onKey: (keyId: string) => void;
  running: boolean;
}

/** Who answers, who pays, and how. */
export function Setup({ store, models, keys, keyId, onKey, running }: SetupProps) {
  const { columns, settings } = store.state;
  const setColumns = (next: readonly Column[]) => store.set({ columns: next });
  const choose = (id: string, choice: string) =>
    setColumns(columns.map((column) => (column.id === id ? { ...column, choice } : column)));
  return (
    <section class="card playground-setup" aria-label={t('playground.setup')}>
      <div class="playground-setup-row">
        {columns.map(({ id, choice }) => (
          <Select
            key={id}
            label={columns.length > 1 ? t('playground.modelOf', { column: id.toUpperCase() }) : t('playground.model')}
            value={chosenValue(choice, models)}
            options={choicesOf(models)}
            disabled={running}
            onValue={(value) => choose(id, value)}
          />
        ))}
        {columns.length === 1 ? (
          <Button disabled={running} onClick={() => compare(store, models)}>
            {t('playground.compare')}
          </Button>
        ) : (
          <Button disabled={running} onClick={() => setColumns(columns.slice(0, 1))}>
            {t('playground.compareEnd')}
          </Button>
        )}
        <KeyChoice keys={keys} value={keyId} onValue={onKey} disabled={running} />
      </div>
      <SettingsFields settings={settings} onChange={(next) => store.set({ settings: next })} />
    </section>
  );
}

function SettingsFields({ settings, onChange }: { settings: Settings; onChange: (settings: Settings) => void }) {
  const set = (change: Partial<Settings>) => onChange({ ...settings, ...change });
  return (
    <details>
      <summary>{t('playground.settings')}</summary>
      <div class="playground-settings">
        <TextArea
          label={t('playground.system')}
          help={t('playground.systemHelp')}
          rows={3}
          value={settings.system}
          onValue={(system) => set({ system })}
        />
        <div class="playground-setup-row">
          <Field
            label={t('playground.maxCost')}
            help={t('playground.maxCostHelp')}
            before="$"
            inputMode="decimal"
            value={settings.maxCostUsd}
            onValue={(maxCostUsd) => set({ maxCostUsd })}
          />
          <Field
            label={t('playground.maxOutput')}
            help={t('playground.maxOutputHelp')}
            type="number"
            min={1}
            max={1_000_000}
            value={settings.maxOutputTokens}
            onValue={(maxOutputTokens) => set({ maxOutputTokens })}
          />
          <Field
            label={t('playground.temperature')}
            help={t('playground.temperatureHelp')}
            type="number"
            min={0}
            max={2}
            step={0.1}
            value={settings.temperature}
            onValue={(temperature) => set({ temperature })}
          />
          <Select
            label={t('playground.effort')}
            help={t('playground.effortHelp')}
            value={settings.effort}
            options={['', 'none', 'minimal', 'low', 'medium', 'high', 'max'].map((value) => ({
              value,
              label: value === '' ? t('playground.asProvider') : value,
            }))}
            onValue={(effort) => set({ effort })}
          />
        </div>
      </div>
    </details>
  );
}

const modes = ['economy', 'balanced', 'quality', 'fast'] as const;

function choicesOf(models: readonly Model[]) {
  return [
    ...modes.map((mode) => ({ value: `auto:${mode}`, label: t(`playground.mode-${mode}`) })),
    ...models.map(({ provider = '', id = '' }) => ({ value: `${provider}/${id}`, label: `${id} (${provider})` })),
  ];
}

/** An address may name a model by its id alone. */
function chosenValue(choice: string, models: readonly Model[]): string {
  const model = modelOf(choice, models);
  return model ? `${model.provider}/${model.id}` : choice;
}

/** A second column, which has read what the first replied so far. */
function compare(store: ChatStore, models: readonly Model[]): void {
  const { columns, turns } = store.state;
  const [first] = columns;
  if (!first) return;
  const other = models.find(({ provider, id }) => `${provider}/${id}` !== first.choice);
  const choice = first.choice.startsWith('auto:') && other ? `${other.provider}/${other.id}` : 'auto:economy';
  store.set({
    columns: [first, { id: 'b', choice }],
    turns: turns.map((turn) => {
      const before = turn.replies[first.id];
      return turn.replies.b || !before
        ? turn
        : { ...turn, replies: { ...turn.replies, b: { ...before, copied: true } } };
    }),
  });
}
