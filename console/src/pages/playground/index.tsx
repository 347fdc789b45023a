import { useQueryClient } from '@tanstack/preact-query';
import { useEffect, useReducer, useState } from 'preact/hooks';
import { t } from '../../i18n/index.ts';
import { chosenKey, type Key, NoPayingKey, payingKeys, useKeys } from '../../paying/key-choice.tsx';
import { useRpc } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { Async, Banner, Button, Page, useFilters } from '../../ui/index.ts';
import { type ChatStore, createChatStore } from './chat-store.ts';
import { CodeDialog } from './code-dialog.tsx';
import { Composer } from './composer.tsx';
import { isRunning, type Picture } from './conversation.ts';
import './playground.css';
import { Setup } from './setup.tsx';
import { Thread } from './thread.tsx';

/** The conversation of this tab, while other pages are shown. */
let kept: { accountId: string; keyId: string; store: ChatStore } | undefined;

export default function Playground() {
  const query = useKeys();
  const [filters, setFilters] = useFilters({ key: '', model: 'auto:balanced' });
  const keys = payingKeys(query.data, 'chat');
  const key = chosenKey(keys, filters.key);
  if (!keys || !key)
    return (
      <Page title={t('playground.title')} lead={t('playground.lead')}>
        <Async query={query} lines={10}>
          {() => <NoPayingKey />}
        </Async>
      </Page>
    );
  return (
    <Conversation
      key={key.keyId}
      keys={keys}
      paying={key}
      model={filters.model}
      onKey={(keyId) => setFilters({ key: keyId })}
    />
  );
}

interface ConversationProps {
  keys: readonly Key[];
  paying: Key;
  /** What the address asks to be tried. */
  model: string;
  onKey: (keyId: string) => void;
}

function Conversation({ keys, paying: { keyId = '' }, model, onKey }: ConversationProps) {
  const { accountId = '' } = useSession();
  const [store, renew] = useStore(accountId, keyId, model);
  const [codeShown, setCodeShown] = useState(false);
  const { data: { models = [] } = {} } = useRpc('ChatService.ListModels', {});
  const { data: { wallet } = {} } = useRpc('WalletService.GetWallet', {});
  const client = useQueryClient();
  const { turns, columns } = store.state;
  const running = turns.at(-1) !== undefined && Object.values(turns.at(-1)?.replies ?? {}).some(isRunning);
  const send = (said: { text: string; pictures: readonly Picture[] }) =>
    store.send(said, models, () => void client.invalidateQueries({ queryKey: ['WalletService.GetWallet'] }));
  return (
    <Page
      title={t('playground.title')}
      lead={t('playground.lead')}
      actions={
        <>
          <Button onClick={() => setCodeShown(true)}>{t('playground.code')}</Button>
          <Button disabled={running || turns.length === 0} onClick={renew}>
            {t('playground.new')}
          </Button>
        </>
      }
    >
      {models.length > 0 && models.every(({ provider }) => provider === 'builtin') && (
        <Banner title={t('playground.noProvider')}>{t('playground.noProviderHelp')}</Banner>
      )}
      <Setup store={store} models={models} keys={keys} keyId={keyId} onKey={onKey} running={running} />
      <Thread store={store} />
      <Composer store={store} models={models} wallet={wallet} running={running} onSend={send} />
      <CodeDialog
        open={codeShown}
        onClose={() => setCodeShown(false)}
        store={store}
        models={models}
        column={columns[0]}
      />
    </Page>
  );
}

/** The store, and the page drawn anew whenever it changes. */
function useStore(accountId: string, keyId: string, model: string): [ChatStore, () => void] {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  if (kept?.accountId !== accountId || kept.keyId !== keyId)
    kept = { accountId, keyId, store: createChatStore(keyId, { id: 'a', choice: model }) };
  const { store } = kept;
  useEffect(() => store.subscribe(() => draw(0)), [store]);
  const renew = (): void => {
    const { columns, settings } = store.state;
    const next = createChatStore(keyId, columns[0] ?? { id: 'a', choice: model });
    next.set({ columns, settings });
    kept = { accountId, keyId, store: next };
    draw(0);
  };
  return [store, renew];
}
