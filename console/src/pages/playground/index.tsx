import { useQueryClient } from '@tanstack/preact-query';
import { useLayoutEffect, useReducer, useState } from 'preact/hooks';
import type { ListModelsResponseJson } from '../../../gen/intelligence/chat/v1/chat_service_pb';
import { t } from '../../i18n/index.ts';
import { useAllRows } from '../../paging.ts';
import { chosenKey, type Key, NoPayingKey, payingKeys, useKeys } from '../../paying/key-choice.tsx';
import { isTokenCapReached } from '../../paying/payer.ts';
import { useRpc } from '../../query.ts';
import { useSession } from '../../session.tsx';
import { Async, Banner, Button, Page, Skeleton, useFilters } from '../../ui/index.ts';
import { type ChatStore, createChatStore } from './chat-store.ts';
import { CodeDialog } from './code-dialog.tsx';
import { Composer } from './composer.tsx';
import { askedChoice, isRunning, type Model, type Said } from './conversation.ts';
import './playground.css';
import { Setup } from './setup.tsx';
import { Thread } from './thread.tsx';

/** The conversation of this tab, while other pages are shown. */
let kept: { accountId: string; store: ChatStore } | undefined;

const modelsOf = ({ models }: ListModelsResponseJson) => models;

export default function Playground() {
  const { accountId = '' } = useSession();
  const query = useKeys();
  const listed = useAllRows('ChatService.ListModels', {}, modelsOf);
  const [store, renew] = useStore(accountId);
  const [{ key: asked }, setFilters] = useFilters({ key: '' });
  const keys = payingKeys(query.data, 'chat');
  const key = chosenKey(keys, asked || store.state.keyId);
  // Wait for the models, too: messages about them appear above everything else, and would push it down.
  if (!keys || !key || !listed.data)
    return (
      <Page title={t('playground.title')} lead={t('playground.lead')}>
        <Async query={query} lines={10}>
          {() =>
            key ? (
              <Async query={listed} lines={10}>
                {() => <Skeleton lines={10} />}
              </Async>
            ) : (
              <NoPayingKey />
            )
          }
        </Async>
      </Page>
    );
  return (
    <Conversation
      store={store}
      renew={renew}
      keys={keys}
      paying={key}
      models={listed.data.rows}
      onKey={(keyId) => setFilters({ key: keyId })}
    />
  );
}

interface ConversationProps {
  store: ChatStore;
  renew: () => void;
  keys: readonly Key[];
  paying: Key;
  models: readonly Model[];
  onKey: (keyId: string) => void;
}

function Conversation({ store, renew, keys, paying: { keyId = '' }, models, onKey }: ConversationProps) {
  const [codeShown, setCodeShown] = useState(false);
  const { data: { wallet } = {} } = useRpc('WalletService.GetWallet', {});
  const client = useQueryClient();
  useAskedModel(store, models);
  useLayoutEffect(() => {
    if (store.state.keyId !== keyId) store.set({ keyId });
  }, [store, keyId]);
  const { turns, columns } = store.state;
  const replies = turns.at(-1)?.replies ?? {};
  const running = Object.values(replies).some(isRunning);
  const onSettled = () => void client.invalidateQueries({ queryKey: ['WalletService.GetWallet'] });
  const send = (said: Said) => store.send(said, models, onSettled);
  const again = (column: string) => {
    if (isTokenCapReached(replies[column]?.failure)) store.payerOf(column).allowMore();
    store.again(column, models, onSettled);
  };
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
      <Setup store={store} models={models} keys={keys} onKey={onKey} running={running} />
      <Thread turns={turns} columns={columns} onAgain={again} />
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

/** A model requested by the address becomes the first column's, even in a kept conversation, and is then removed from the address. */
function useAskedModel(store: ChatStore, models: readonly Model[]): void {
  const [{ model }, setFilters] = useFilters({ model: '' });
  useLayoutEffect(() => {
    if (model === '') return;
    const [first, ...others] = store.state.columns;
    if (first) store.set({ columns: [{ ...first, choice: askedChoice(model, models) }, ...others] });
    setFilters({ model: '' }, { typing: true });
  }, [store, model]);
}

/** The store; rerenders the page whenever it changes. */
function useStore(accountId: string): [ChatStore, () => void] {
  const [, draw] = useReducer((count: number) => count + 1, 0);
  if (kept?.accountId !== accountId) kept = { accountId, store: createChatStore() };
  const { store } = kept;
  useLayoutEffect(() => {
    const end = store.subscribe(() => draw(0));
    // Child effects ran first, and may have changed something.
    draw(0);
    return end;
  }, [store]);
  const renew = (): void => {
    const { columns, settings, keyId } = store.state;
    kept = { accountId, store: createChatStore({ columns, settings, keyId }, store.draft) };
    draw(0);
  };
  return [store, renew];
}
