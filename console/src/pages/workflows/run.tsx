import { useQueryClient } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import { type ApiFailure, callRpc, isApiFailure } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { chosenKey, KeyChoice, NoPayingKey, payingKeys, useKeys } from '../../paying/key-choice.tsx';
import { createPayers, isTokenCapReached, type Payer, tokenCapText } from '../../paying/payer.ts';
import { useRpc } from '../../query.ts';
import { Async, Button, Curl, Failure, Money, Section, useFilters } from '../../ui/index.ts';
import { mayLose, useUnsaved } from '../../unsaved.ts';
import { createWriteKey } from '../../write-key.ts';
import { JsonEditor } from './editor.tsx';
import { useCeiling } from './estimate.ts';
import { families, type Target } from './families.ts';
import { placesOf } from './json-places.ts';
import type { Reply } from './reply.ts';
import { Result } from './result.tsx';

interface RunProps {
  target: Target;
  title: string;
  example: unknown;
}

/** A request to edit and send, and its reply. It is charged like a program's request. */
export function Run({ target, title, example }: RunProps) {
  const keys = useKeys();
  return (
    <Section title={title} class="workflows-card">
      <Async
        query={keys}
        lines={10}
        isEmpty={(data) => payingKeys(data, 'workflows')?.length === 0}
        empty={<NoPayingKey />}
      >
        {() => <Editor target={target} example={example} />}
      </Async>
    </Section>
  );
}

function Editor({ target, example }: Omit<RunProps, 'title'>) {
  const [{ key: keyId }, set] = useFilters({ key: '' });
  const keys = payingKeys(useKeys().data, 'workflows') ?? [];
  const key = chosenKey(keys, keyId)?.keyId ?? '';
  const [payerOf] = useState(() => createPayers(['workflows']));
  const payer = payerOf(key);
  const written = useMemo(() => JSON.stringify(example, null, 2), [example]);
  const [text, setText] = useState(written);
  const { outcome, busy, run, clear } = useRun(target, payer);
  const isJson = placesOf(text).problem === undefined;
  // An answered request is shown beside its answer, and need not be kept.
  const [kept, setKept] = useState(written);
  const typed = text !== written && text !== kept;
  useUnsaved(typed);
  const ask = async (): Promise<void> => {
    if (await run(JSON.parse(text))) setKept(text);
  };
  const ceiling = useCeiling(target, payer, text, isJson);
  return (
    <>
      <JsonEditor
        label={t('workflows.request')}
        value={text}
        violations={outcome?.violations ?? []}
        onValue={(value) => {
          clear();
          setText(value);
        }}
      />
      <div class="workflows-run">
        <KeyChoice keys={keys} value={key} onValue={(value) => set({ key: value })} disabled={busy} />
        <Price family={'family' in target ? target.family : 'custom'} ceiling={ceiling} />
        <div class="actions">
          <Button disabled={text === written} onClick={() => (!typed || mayLose()) && setText(written)}>
            {t('workflows.example')}
          </Button>
          <Button kind="primary" busy={busy} disabled={!isJson} onClick={() => void ask()}>
            {t('workflows.run')}
          </Button>
        </div>
      </div>
      {outcome?.failure && <Failure failure={{ ...outcome.failure, violations: [] }} />}
      {isTokenCapReached(outcome?.failure) && (
        <Button
          onClick={() => {
            payer.allowMore();
            void ask();
          }}
        >
          {t('workflows.allowMore', { amount: tokenCapText() })}
        </Button>
      )}
      {isJson && <CurlOf target={target} body={JSON.parse(text) as never} />}
      {outcome?.reply && <Result reply={outcome.reply} request={outcome.request} />}
    </>
  );
}

function CurlOf({ target, body }: { target: Target; body: never }) {
  if ('family' in target) return <Curl name={families[target.family].rpc} request={body} credential="API_KEY" />;
  return <Curl name="WorkflowService.RunWorkflow" request={{ ...target, input: body }} credential="API_KEY" />;
}

function Price({ family, ceiling }: { family: string; ceiling: string | undefined }) {
  const { data } = useRpc('WorkflowService.ListPrices', {});
  const price = data?.prices?.find((each) => each.family === family);
  return (
    <p class="small">
      {t('workflows.price')} <Money usd={price?.priceUsd} /> <span class="muted">{t('workflows.priceHelp')}</span>{' '}
      {t('workflows.couldCost')} <Money usd={ceiling} as="cost" />
    </p>
  );
}

interface Outcome {
  request: unknown;
  reply?: Reply;
  failure?: ApiFailure;
  violations?: readonly { field: string; description: string }[];
}

function useRun(target: Target, payer: Payer) {
  const [outcome, setOutcome] = useState<Outcome>();
  const [busy, setBusy] = useState(false);
  const [writeKey] = useState(createWriteKey);
  const client = useQueryClient();
  /** Resolves to whether there is a reply. */
  const run = async (request: unknown): Promise<boolean> => {
    setBusy(true);
    setOutcome(undefined);
    try {
      const key = writeKey.of(JSON.stringify([payer.keyId, target, request]));
      const reply = await send(target, request, payer, key);
      writeKey.done();
      setOutcome({ request, reply });
      return true;
    } catch (failure) {
      if (!isApiFailure(failure)) throw failure;
      // Any other refusal may hide an answer that was lost. This one says that there is none any more.
      if (failure.reason === 'REPLY_PURGED') writeKey.done();
      const violations = failure.violations.map(({ field, description }) => ({
        // For an account's own workflow, the text is the input.
        field: 'family' in target ? field : field.replace(/^input\.?/, ''),
        description,
      }));
      setOutcome({ request, failure, violations });
      return false;
    } finally {
      setBusy(false);
      void client.invalidateQueries({ queryKey: ['WalletService.GetWallet'] });
    }
  };
  return { outcome, busy, run, clear: () => setOutcome((before) => before?.reply && before) };
}

/** After a reply, the next press is a new request; after a lost answer it is the same request, and paid once. */
async function send(target: Target, body: unknown, payer: Payer, key: string): Promise<Reply> {
  const options = { headers: { ...(await payer.headers()), 'idempotency-key': key } };
  if ('family' in target) return (await callRpc(families[target.family].rpc, body as never, options)) as Reply;
  return await callRpc('WorkflowService.RunWorkflow', { ...target, input: body as never }, options);
}
