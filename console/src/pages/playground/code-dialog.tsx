import { useState } from 'preact/hooks';
import { t } from '../../i18n/index.ts';
import { Code, Dialog } from '../../ui/index.ts';
import type { ChatStore } from './chat-store.ts';
import { type Column, type Model, requestOf } from './conversation.ts';
import { type SampleKind, sampleKinds, sampleOf } from './samples.ts';

interface CodeDialogProps {
  open: boolean;
  onClose: () => void;
  store: ChatStore;
  models: readonly Model[];
  column: Column | undefined;
}

/** The page's last request, as code. */
export function CodeDialog({ open, onClose, store, models, column }: CodeDialogProps) {
  const [kind, setKind] = useState<SampleKind>('curl');
  return (
    <Dialog title={t('playground.codeTitle')} open={open} onClose={onClose}>
      <p class="muted">{t('playground.codeHelp')}</p>
      <fieldset class="tabs">
        <legend class="read-only">{t('playground.codeTitle')}</legend>
        {sampleKinds.map((each) => (
          <label key={each} class={each === kind ? 'on' : ''}>
            <input type="radio" name="sample" checked={each === kind} onChange={() => setKind(each)} />
            {t(`playground.sample-${each}`)}
          </label>
        ))}
      </fieldset>
      {column && <Code text={sampleOf(kind, lastRequest(store, models, column))} />}
    </Dialog>
  );
}

/** The request as it was sent: without its own reply. Before the first message, a sample that shows where it goes. */
function lastRequest(store: ChatStore, models: readonly Model[], column: Column) {
  const { turns, settings } = store.state;
  const last = turns.at(-1) ?? { text: t('playground.sampleMessage'), pictures: [], replies: {} };
  return requestOf(column, [...turns.slice(0, -1), { ...last, replies: {} }], settings, models);
}
