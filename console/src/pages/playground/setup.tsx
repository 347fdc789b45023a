import { findText, t } from '../../i18n/index.ts';
import { type Key, KeyChoice } from '../../paying/key-choice.tsx';
import { AmountField, Button, Field, Select, TextArea } from '../../ui/index.ts';
import type { ChatStore } from './chat-store.ts';
import { type Column, choiceOf, isMaxCostWrong, isOffered, type Model, modes, type Settings } from './conversation.ts';

interface SetupProps {
  store: ChatStore;
  models: readonly Model[];
  keys: readonly Key[];
  onKey: (keyId: string) => void;
  running: boolean;
}

/** Who answers, who pays, and how. */
export function Setup({ store, models, keys, onKey, running }: SetupProps) {
  const { columns, settings, keyId } = store.state;
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
            value={choice}
            options={choicesOf(models, choice)}
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
          <AmountField
            label={t('playground.maxCost')}
            help={t('playground.maxCostHelp')}
            error={isMaxCostWrong(settings) ? t('playground.maxCostWrong') : undefined}
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
              label: value === '' ? t('playground.asProvider') : (findText('playground', `effort-${value}`) ?? value),
            }))}
            onValue={(effort) => set({ effort })}
          />
        </div>
      </div>
    </details>
  );
}

/** The available choices, plus the current one if it is not offered. */
function choicesOf(models: readonly Model[], chosen: string) {
  return [
    ...(isOffered(chosen, models) ? [] : [{ value: chosen, label: t('playground.modelGone', { model: chosen }) }]),
    ...modes.map((mode) => ({ value: `auto:${mode}`, label: t(`playground.mode-${mode}`) })),
    ...models.map((model) => ({ value: choiceOf(model), label: `${model.id} (${model.provider})` })),
  ];
}

/** Adds a second column, which has read the first one's replies so far. */
function compare(store: ChatStore, models: readonly Model[]): void {
  const { columns, turns } = store.state;
  const [first] = columns;
  if (!first) return;
  const [other] = models;
  const choice = first.choice.startsWith('auto:') && other ? choiceOf(other) : 'auto:economy';
  store.set({
    columns: [first, { id: 'b', choice }],
    turns: turns.map((turn) => {
      const before = turn.replies[first.id];
      return turn.replies.b || !before
        ? turn
        : { ...turn, replies: { ...turn.replies, b: { ...before, earlier: [], copied: true } } };
    }),
  });
}
