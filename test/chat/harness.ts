import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import type { Caller } from '../../src/base/caller.ts';
import type { NanoUsd } from '../../src/base/money.ts';
import { createSeal } from '../../src/base/seal.ts';
import { createCatalog, type ModelSettings, memoryPriceStore } from '../../src/catalog/index.ts';
import type { GuardrailDeps } from '../../src/chat/guard/index.ts';
import { type Chat, type ChatRequest, createChat, createProviderStates, type Overrun } from '../../src/chat/index.ts';
import { createProviders, defaultUpstreamLimits, type ProviderSettings } from '../../src/providers/index.ts';
import type { Sandbox } from '../../src/sandbox/index.ts';
import { type MemoryLedger, memoryLedger } from '../support/memory-ledger.ts';
import { testSandbox } from '../support/sandbox.ts';

/** One for all harnesses, as nodes of one service share theirs. */
const sealKey = randomBytes(32);

export interface Harness {
  chat: Chat;
  ledger: MemoryLedger;
  close(): Promise<void>;
}

/** Chat over real providers and a wallet in memory. */
export async function chatHarness(options: {
  providers?: readonly ProviderSettings[];
  models?: readonly ModelSettings[];
  balance?: NanoUsd;
  deadlineMs?: number;
  /** Providers that are gone by the time they are called. */
  gone?: readonly string[];
  sleep?: (ms: number, signal: AbortSignal) => Promise<void>;
  sandbox?: Sandbox;
  overran?: (overrun: Overrun) => void;
  guardrails?: GuardrailDeps;
}): Promise<Harness> {
  const log = pino({ level: 'silent' });
  const providers = createProviders({
    providers: options.providers ?? [],
    log,
    limits: { ...defaultUpstreamLimits, connectMs: 10_000 },
  });
  const catalog = await createCatalog({
    store: memoryPriceStore(),
    settings: { models: options.models ?? [] },
    enabledProviders: providers.enabled,
    log,
  });
  await catalog.importPrices();
  const ledger = memoryLedger(options.balance ?? 5_000_000_000n);
  const chat = createChat({
    ledger,
    catalog,
    providers: {
      ...providers,
      model: (id, name) => (options.gone?.includes(id) ? undefined : providers.model(id, name)),
    },
    sandbox: options.sandbox ?? testSandbox(),
    log,
    deadlineMs: options.deadlineMs ?? 60_000,
    random: () => 0,
    ...(options.sleep ? { sleep: options.sleep } : {}),
    overran: options.overran,
    ...(options.guardrails ? { guardrails: options.guardrails } : {}),
    states: createProviderStates(createSeal({ current: 1, byVersion: new Map([[1, sealKey]]) })),
  });
  return {
    chat,
    ledger,
    close: async () => {
      catalog.close();
      await chat.drained();
      await providers.close();
    },
  };
}

export const caller: Caller = {
  credential: 'api_key',
  name: 'key_1',
  accountId: 'acc_1',
  key: { id: 'key_1', version: 1 },
  scopes: new Set(['chat']),
};

/** A model with round prices: 1,000 nano-USD an input token, 2,000 an output token. */
export function testModel(provider: string, id: string, more: Partial<ModelSettings> = {}): ModelSettings {
  return {
    id,
    provider,
    quality: 50,
    contextTokens: 100_000,
    capabilities: ['tools', 'json', 'images'],
    price: { inputPerMillionUsd: '1', cachedInputPerMillionUsd: '0.5', outputPerMillionUsd: '2' },
    ...more,
  };
}

export function say(content: string, more: Partial<ChatRequest> = {}): ChatRequest {
  return { messages: [{ role: 'user', content }], ...more };
}

export function call(idempotencyKey?: string) {
  return {
    signal: new AbortController().signal,
    ...(idempotencyKey ? { idempotency: { key: idempotencyKey, fingerprint: Buffer.from('x') } } : {}),
  };
}
