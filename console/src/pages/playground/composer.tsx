import { useState } from 'preact/hooks';
import type { RpcReply } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { readUsd } from '../../money.ts';
import { Button, Money, TextArea } from '../../ui/index.ts';
import type { ChatStore } from './chat-store.ts';
import { costOf, isMaxCostWrong, isOffered, type Model, type Picture, type Said, takesImages } from './conversation.ts';
import { useEstimate } from './estimate.ts';
import { pictureTypes, readPicture } from './pictures.ts';

interface ComposerProps {
  store: ChatStore;
  models: readonly Model[];
  wallet: RpcReply<'WalletService.GetWallet'>['wallet'];
  running: boolean;
  onSend: (said: Said) => void;
}

/** The input: what a message could cost before it is sent, and what was spent after. */
export function Composer({ store, models, wallet, running, onSend }: ComposerProps) {
  const [{ text, pictures }, setSaid] = useState(store.draft);
  const write = (said: Said) => {
    store.draft = said;
    setSaid(said);
  };
  const paused = wallet?.paused === true || (readUsd(wallet?.owedUsd) ?? 0n) > 0n;
  const isEmpty = text.trim() === '' && pictures.length === 0;
  const isBoundWrong = isMaxCostWrong(store.state.settings);
  const isModelGone = !store.state.columns.every(({ choice }) => isOffered(choice, models));
  const held = isEmpty || running || paused || isBoundWrong || isModelGone;
  const estimate = useEstimate(store, models, held ? undefined : { text, pictures });
  const send = () => {
    if (held) return;
    onSend({ text, pictures });
    write({ text: '', pictures: [] });
  };
  return (
    <form
      class="card playground-composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
        // Focus the input: the pressed button is disabled while the answer arrives, and would lose the focus.
        event.currentTarget.querySelector('textarea')?.focus();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) send();
      }}
    >
      <TextArea
        label={t('playground.message')}
        rows={3}
        value={text}
        onValue={(next) => write({ text: next, pictures })}
      />
      <Pictures
        pictures={pictures}
        onChange={(next) => write({ text, pictures: next })}
        possible={store.state.columns.every(({ choice }) => takesImages(choice, models))}
      />
      <div class="playground-composer-foot">
        <dl class="playground-composer-figures">
          <div>
            <dt>{t('playground.couldCost')}</dt>
            <dd>{estimate.ceiling === undefined ? '–' : <Money usd={estimate.ceiling} as="cost" />}</dd>
          </div>
          <div>
            <dt>{t('playground.soFar')}</dt>
            <dd>
              <Money usd={costOf(store.state.turns)} />
            </dd>
          </div>
          <div>
            <dt>{t('playground.balance')}</dt>
            <dd>
              <Money usd={wallet?.balanceUsd} as="balance" />
            </dd>
          </div>
        </dl>
        <div class="actions">
          {running && <Button onClick={() => store.stop()}>{t('playground.stop')}</Button>}
          <Button kind="primary" type="submit" disabled={held} title="Ctrl+Enter">
            {t('playground.send')}
          </Button>
        </div>
      </div>
      <p class="help" role="status">
        {paused
          ? t('playground.pausedHelp')
          : isModelGone
            ? t('playground.modelGoneHolds')
            : isBoundWrong
              ? t('playground.maxCostHolds')
              : (estimate.problem ?? t('playground.sendHelp'))}
      </p>
    </form>
  );
}

interface PicturesProps {
  pictures: readonly Picture[];
  onChange: (pictures: readonly Picture[]) => void;
  /** Whether the answering models can see them. */
  possible: boolean;
}

function Pictures({ pictures, onChange, possible }: PicturesProps) {
  const [problem, setProblem] = useState<string>();
  const add = async (files: readonly File[]) => {
    setProblem(undefined);
    const read = await Promise.all(files.map(readPicture));
    const bad = read.find((each) => typeof each === 'string');
    if (typeof bad === 'string') setProblem(t(`playground.${bad}`));
    onChange([...pictures, ...read.filter((each) => typeof each !== 'string')].slice(0, 4));
  };
  if (!possible && pictures.length === 0) return null;
  return (
    <div class="playground-pictures">
      {pictures.map(({ name, mediaType, data }, index) => (
        <button
          key={index}
          type="button"
          class="playground-picture"
          aria-label={t('playground.removePicture', { name })}
          onClick={() => onChange(pictures.filter((_, at) => at !== index))}
        >
          <img src={`data:${mediaType};base64,${data}`} alt="" />
          <span aria-hidden="true">×</span>
        </button>
      ))}
      <label class="button quiet">
        {t('playground.addPicture')}
        <input
          class="read-only"
          type="file"
          multiple
          accept={pictureTypes.join(',')}
          onChange={(event) => {
            void add([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = '';
          }}
        />
      </label>
      {problem && (
        <p class="field-error" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
