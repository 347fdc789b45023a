import { type DescMessage, fromJson, type JsonValue, type MessageShape } from '@bufbuild/protobuf';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { systemClock } from '../../src/base/clock.ts';
import { type Catalog, createCatalog, memoryPriceStore } from '../../src/catalog/index.ts';
import { createCircuitBreaker, createModelCalls } from '../../src/chat/index.ts';
import { createProviders, defaultUpstreamLimits, type Providers } from '../../src/providers/index.ts';
import type { ReserveTokens } from '../../src/wallet/index.ts';
import { createWorkflows, type Workflows } from '../../src/workflows/index.ts';
import { testModel } from '../chat/harness.ts';
import { chargesWritten } from '../support/charges.ts';
import { firstServer, silent, useDatabase } from '../support/database.ts';
import { type MemoryLedger, memoryLedger } from '../support/memory-ledger.ts';
import { testSandbox } from '../support/sandbox.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

/** What a request of a family costs here by rules alone, in nano-USD. */
export const price = 2_000_000n;
export const caller: Caller = {
  credential: 'api_key',
  name: 'key_1',
  accountId: 'acc_1',
  key: { id: 'key_1', version: 1 },
  scopes: new Set(['workflows']),
};
export const call = { signal: new AbortController().signal };

/** Workflows with a model behind a real HTTP server that says what the test has it say. */
export interface Assisted {
  workflows: Workflows;
  ledger: MemoryLedger;
  catalog: Catalog;
  providers: Providers;
  upstream: Upstream;
  /** Model calls, perhaps bounded by tokens a minute. */
  assistantWith(reserveTokens: ReserveTokens | undefined): ReturnType<typeof createModelCalls>;
  /** The model's answers, one after the other; the last one again and again. */
  say(...answers: (object | string)[]): void;
}

/** Starts it before the file's tests and ends it after them; each test begins with 5 USD and no request seen. */
export function useAssisted(): () => Assisted {
  const fresh = useDatabase(firstServer());
  let assisted: Assisted | undefined;
  beforeAll(async () => {
    assisted = await start(() => fresh().database);
  });
  beforeEach(() => {
    if (!assisted) return;
    assisted.ledger.balance = 5_000_000_000n;
    assisted.upstream.seen.length = 0;
  });
  afterAll(async () => {
    await assisted?.catalog.close();
    await assisted?.providers.close();
    await assisted?.upstream.close();
  });
  return () => {
    if (!assisted) throw new Error('not started yet');
    return assisted;
  };
}

async function start(database: () => Parameters<typeof createWorkflows>[0]['db']): Promise<Assisted> {
  const upstream = await startUpstream();
  const providers = createProviders({
    providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: upstream.url, apiKey: 'sk-secret' }],
    log: silent,
    limits: { ...defaultUpstreamLimits, connectMs: 1_000 },
  });
  const settings = { models: [testModel('p', 'm')], services: { workflow: { perRequestUsd: '0.002' } } };
  const catalog = await createCatalog({
    store: memoryPriceStore(),
    settings,
    enabledProviders: providers.enabled,
    log: silent,
  });
  await catalog.importPrices();
  const ledger = memoryLedger(0n);
  const assistantWith: Assisted['assistantWith'] = (reserveTokens) =>
    createModelCalls({
      ...{ catalog, providers, sandbox: testSandbox(), clock: systemClock, log: silent },
      breaker: createCircuitBreaker({ clock: systemClock }),
      deadlineMs: 5_000,
      ...(reserveTokens && { reserveTokens }),
    });
  const workflows = createWorkflows({
    ...{ db: database(), ledger: chargesWritten(ledger, database()), prices: catalog },
    ...{ sandbox: testSandbox(), log: silent, assistant: assistantWith(undefined) },
  });
  const say: Assisted['say'] = (...answers) => {
    let next = 0;
    upstream.answer(() => {
      const answer = answers[Math.min(next++, answers.length - 1)] ?? '';
      return { body: completion(typeof answer === 'string' ? answer : JSON.stringify(answer)) };
    });
  };
  return { workflows, ledger, catalog, providers, upstream, assistantWith, say };
}

export function read<Schema extends DescMessage>(schema: Schema, json: unknown): MessageShape<Schema> {
  return fromJson(schema, json as JsonValue);
}

export function value<T>(result: { ok: true; value: T } | { ok: false; failure: unknown }): T {
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
}
