import { useQueryClient } from '@tanstack/preact-query';
import { useMemo, useState } from 'preact/hooks';
import { type ApiFailure, callRpc, isApiFailure } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { chosenKey, KeyChoice, NoPayingKey, payingKeys, useKeys } from '../../paying/key-choice.tsx';
import { createPayer, isTokenCapReached, type Payer, tokenCapUsd } from '../../paying/payer.ts';
import { useRpc } from '../../query.ts';
import { Async, Button, Curl, Failure, Money, Section, useFilters } from '../../ui/index.ts';
import { JsonEditor } from './editor.tsx';
import { type Family, families } from './families.ts';
import { placesOf } from './json-places.ts';
import type { Reply } from './reply.ts';
import { Result } from './result.tsx';

/** What is run: a shipped family, or a workflow of the account's own. */
export type Target = { family: Family } | { client: string; workflow: string };

interface RunProps {
  target: Target;
  title: string;
  example: unknown;
}

/** A request to be edited and sent, and what came back. It is charged like a request of a program. */
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
  const payer = useMemo(() => createPayer(key, ['workflows']), [key]);
  const written = useMemo(() => JSON.stringify(example, null, 2), [example]);
  const [text, setText] = useState(written);
  const { outcome, busy, run, clear } = useRun(target, payer);
  const isJson = placesOf(text).problem === undefined;
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
        <Price family={'family' in target ? target.family : 'custom'} />
        <div class="actions">
          <Button disabled={text === written} onClick={() => setText(written)}>
            {t('workflows.example')}
          </Button>
          <Button kind="primary" busy={busy} disabled={!isJson} onClick={() => void run(JSON.parse(text))}>
            {t('workflows.run')}
          </Button>
        </div>
      </div>
      {outcome?.failure && <Failure failure={{ ...outcome.failure, violations: [] }} />}
      {isTokenCapReached(outcome?.failure) && (
        <Button onClick={() => payer.allowMore()}>{t('workflows.allowMore', { amount: `$${tokenCapUsd}` })}</Button>
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

function Price({ family }: { family: string }) {
  const { data } = useRpc('WorkflowService.ListPrices', {});
  const price = data?.prices?.find((each) => each.family === family);
  return (
    <p class="small">
      {t('workflows.price')} <Money usd={price?.priceUsd} /> <span class="muted">{t('workflows.priceHelp')}</span>
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
  const client = useQueryClient();
  const run = async (request: unknown): Promise<void> => {
    setBusy(true);
    setOutcome(undefined);
    try {
      setOutcome({ request, reply: await send(target, request, payer) });
    } catch (failure) {
      if (!isApiFailure(failure)) throw failure;
      const violations = failure.violations.map(({ field, description }) => ({
        // The text of an own workflow is the input.
        field: 'family' in target ? field : field.replace(/^input\.?/, ''),
        description,
      }));
      setOutcome({ request, failure, violations });
    } finally {
      setBusy(false);
      void client.invalidateQueries({ queryKey: ['WalletService.GetWallet'] });
    }
  };
  return { outcome, busy, run, clear: () => setOutcome((before) => before?.reply && before) };
}

/** Each press is a request of its own; the key only guards a request that the browser sends twice. */
async function send(target: Target, body: unknown, payer: Payer): Promise<Reply> {
  const options = { headers: { ...(await payer.headers()), 'idempotency-key': crypto.randomUUID() } };
  if ('family' in target) return (await callRpc(families[target.family].rpc, body as never, options)) as Reply;
  return await callRpc('WorkflowService.RunWorkflow', { ...target, input: body as never }, options);
}
