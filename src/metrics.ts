import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { FailureError, type Result } from './base/failure.ts';
import { type NanoUsd, nanoPerUsd } from './base/money.ts';
import type { CacheEvent, CircuitBreaker, Overrun } from './chat/index.ts';
import type { FinishedCall } from './edge/index.ts';
import type { AnonymousRefusal } from './limits/index.ts';
import type { PrometheusSource } from './telemetry/index.ts';
import type { HoldOutcome, RunningLedger } from './wallet/index.ts';

/** The Prometheus metrics. Those of calls and models use OpenTelemetry's names where there are any. */
export interface Metrics {
  observeCall(call: FinishedCall): void;
  observeGroup(operations: number, durationMs: number, collected: NanoUsd): void;
  countAnonymousRefusal(what: AnonymousRefusal): void;
  observeCache(event: CacheEvent): void;
  observeOverrun(overrun: Overrun): void;
  /** The same circuit breaker, with its model calls counted and timed. */
  circuitBreaker(breaker: CircuitBreaker): CircuitBreaker;
  /** The same ledger, with its holds and settlements counted and timed. */
  ledger(ledger: RunningLedger): RunningLedger;
  /** What OTLP exports of them. */
  source: PrometheusSource;
  /** The exposition text. */
  text(): Promise<string>;
}

const callSeconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** OpenTelemetry's instruments report the same, under names that a Prometheus collector turns into these. */
const modelMetrics = new Set([
  'gen_ai_client_operation_duration_seconds',
  'gen_ai_client_operation_time_to_first_chunk_seconds',
  'gen_ai_client_token_usage_total',
]);
const ledgerSeconds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5];

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const calls = new Histogram({
    name: 'rpc_server_duration_seconds',
    help: 'Duration of calls through the gate, by method, protocol and outcome.',
    labelNames: ['rpc_method', 'rpc_system', 'outcome'],
    buckets: callSeconds,
    registers,
  });
  const operations = new Histogram({
    name: 'gen_ai_client_operation_duration_seconds',
    help: 'Duration of calls to models, by model and outcome.',
    labelNames: ['gen_ai_request_model', 'outcome'],
    buckets: callSeconds,
    registers,
  });
  const firstToken = new Histogram({
    name: 'gen_ai_client_operation_time_to_first_chunk_seconds',
    help: 'Time until a model’s first output.',
    labelNames: ['gen_ai_request_model'],
    buckets: callSeconds,
    registers,
  });
  const tokens = new Counter({
    name: 'gen_ai_client_token_usage_total',
    help: 'Output tokens of models.',
    labelNames: ['gen_ai_request_model', 'gen_ai_token_type'],
    registers,
  });
  const groupSize = new Histogram({
    name: 'ledger_group_operations',
    help: 'Operations of a commit group.',
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256, 400],
    registers,
  });
  const groupSeconds = new Histogram({
    name: 'ledger_group_duration_seconds',
    help: 'Time from the start of a commit group to its durable end.',
    buckets: ledgerSeconds,
    registers,
  });
  const ledgerCalls = new Histogram({
    name: 'ledger_operation_duration_seconds',
    help: 'Time until a hold or a settlement is durable, its wait included; deferred holds say so.',
    labelNames: ['operation', 'outcome'],
    buckets: ledgerSeconds,
    registers,
  });
  const deferredHolds = new Counter({
    name: 'ledger_deferred_holds_total',
    help: 'Deferred holds by outcome: held, cancelled before that, or the refusal.',
    labelNames: ['outcome'],
    registers,
  });
  const charged = new Counter({
    name: 'ledger_charged_usd_total',
    help: 'Collected by this node for use since its start, debts included, in USD; rounded, for graphs and not for books.',
    registers,
  });

  const cacheEvents = new Counter({
    name: 'chat_cache_events_total',
    help: 'Look-ups in the reply cache (hit, miss, refresh), replies for it (stored, too_large, dropped), and failures of either.',
    labelNames: ['event'],
    registers,
  });

  const anonymousRefusals = new Counter({
    name: 'anonymous_refusals_total',
    help: 'What was refused, or closed, because an address or its network used more than callers without a credential may.',
    labelNames: ['limit'],
    registers,
  });

  const overruns = new Counter({
    name: 'chat_upstream_overruns_total',
    help: 'Replies of upstreams beyond what they were asked for (output), or with more input than the request can have (input); not charged.',
    labelNames: ['gen_ai_request_model', 'gen_ai_token_type'],
    registers,
  });

  return {
    countAnonymousRefusal: (what) => anonymousRefusals.inc({ limit: what.replaceAll(' ', '_') }),
    observeCall: ({ method, protocol, outcome, durationMs }) =>
      calls.observe({ rpc_method: method, rpc_system: protocol, outcome }, durationMs / 1000),
    observeGroup: (count, durationMs, collected) => {
      groupSize.observe(count);
      groupSeconds.observe(durationMs / 1000);
      charged.inc(Number(collected) / Number(nanoPerUsd));
    },
    observeCache: (event) => cacheEvents.inc({ event }),
    observeOverrun: ({ provider, model, what }) =>
      overruns.inc({ gen_ai_request_model: `${provider}/${model}`, gen_ai_token_type: what }),
    circuitBreaker: (breaker) => {
      observeCircuits(breaker);
      return { ...breaker, begin: (route, account, ownKey) => observed(breaker.begin(route, account, ownKey), route) };
    },
    ledger: (ledger) => {
      observeQueue(ledger);
      return Object.create(ledger, {
        hold: { value: timed('hold', ledger.hold, outcomeOfHold) },
        settle: {
          value: timed('settle', ledger.settle, ({ state }) => state),
        },
      }) as RunningLedger;
    },
    source: { registry, except: modelMetrics },
    text: () => registry.metrics(),
  };

  function observed(call: ReturnType<CircuitBreaker['begin']>, route: string): ReturnType<CircuitBreaker['begin']> {
    const startedAt = performance.now();
    const end = (outcome: string) =>
      operations.observe({ gen_ai_request_model: route, outcome }, (performance.now() - startedAt) / 1000);
    return {
      ...call,
      succeeded: (measure) => {
        end('ok');
        firstToken.observe({ gen_ai_request_model: route }, measure.firstTokenMs / 1000);
        tokens.inc({ gen_ai_request_model: route, gen_ai_token_type: 'output' }, measure.outputTokens);
        call.succeeded(measure);
      },
      failed: (failure) => {
        end(failure.outcome);
        call.failed(failure);
      },
    };
  }

  function outcomeOfHold(held: Result<HoldOutcome>): string {
    if (!held.ok) return held.failure.kind;
    if (held.value.kind === 'replayed' || !held.value.hold.pending) return held.value.kind;
    const count = (outcome: string) => deferredHolds.inc({ outcome });
    held.value.hold.pending.then(
      (committed) => count(committed.ok ? 'held' : committed.failure.kind),
      () => count('internal'),
    );
    return 'deferred';
  }

  function timed<Arguments extends unknown[], Value>(
    operation: string,
    act: (...args: Arguments) => Promise<Value>,
    outcomeOf: (value: Value) => string,
  ): (...args: Arguments) => Promise<Value> {
    return async (...args) => {
      const startedAt = performance.now();
      const end = (outcome: string) =>
        ledgerCalls.observe({ operation, outcome }, (performance.now() - startedAt) / 1000);
      try {
        const value = await act(...args);
        end(outcomeOf(value));
        return value;
      } catch (error) {
        end(error instanceof FailureError ? error.failure.kind : 'internal');
        throw error;
      }
    };
  }

  function observeCircuits(breaker: CircuitBreaker): void {
    new Gauge({
      name: 'routing_circuit_open',
      help: 'Routes whose circuit is open (1) or half open (0.5) for all accounts.',
      labelNames: ['gen_ai_request_model'],
      registers,
      collect() {
        this.reset();
        for (const { route, state } of breaker.circuits())
          if (state !== 'open_for_accounts') this.set({ gen_ai_request_model: route }, state === 'open' ? 1 : 0.5);
      },
    });
    new Gauge({
      name: 'routing_circuit_open_accounts',
      help: 'How many accounts have an open circuit of their own for a route.',
      labelNames: ['gen_ai_request_model'],
      registers,
      collect() {
        this.reset();
        for (const { route, accounts } of breaker.circuits())
          if (accounts > 0) this.set({ gen_ai_request_model: route }, accounts);
      },
    });
  }

  function observeQueue(ledger: RunningLedger): void {
    new Gauge({
      name: 'ledger_waiting_operations',
      help: 'Operations that wait for their commit group.',
      registers,
      collect() {
        this.set(ledger.committer.waiting);
      },
    });
    new Gauge({
      name: 'ledger_open_holds',
      help: 'Holds of this node that are not settled yet.',
      registers,
      collect() {
        this.set(ledger.openHolds);
      },
    });
    new Gauge({
      name: 'ledger_up',
      help: 'Whether the database answered the ledger last time.',
      registers,
      collect() {
        this.set(ledger.committer.up ? 1 : 0);
      },
    });
  }
}
