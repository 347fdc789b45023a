import { z } from 'zod';
import { parseUsd } from '../base/money.ts';

const usd = z
  .string()
  .refine((text) => parseUsd(text) !== undefined, 'must be a decimal amount of USD in quotes, such as "0.15"');

const environmentName = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]*$/, 'must be the name of an environment variable, not the secret itself');

/** Providers have one or two; each is one more way in which a request can be priced. */
const tiersMax = 8;

const tier = z.strictObject({
  /** With more input tokens than this, every token of the request costs these prices. */
  aboveInputTokens: z.int().min(1).max(1_000_000_000),
  inputPerMillionUsd: usd,
  cachedInputPerMillionUsd: usd.optional(),
  cacheWriteInputPerMillionUsd: usd.optional(),
  cacheWrite1hInputPerMillionUsd: usd.optional(),
  audioInputPerMillionUsd: usd.optional(),
  outputPerMillionUsd: usd,
});

const price = z.strictObject({
  inputPerMillionUsd: usd.optional(),
  /** Input that the provider had cached; as other input when absent. */
  cachedInputPerMillionUsd: usd.optional(),
  /** Input that the provider wrote into its cache; as other input when absent. */
  cacheWriteInputPerMillionUsd: usd.optional(),
  /** Input that the provider wrote into its cache for an hour; when absent, nothing is kept for an hour. */
  cacheWrite1hInputPerMillionUsd: usd.optional(),
  /** Audio; a model with the capability is not offered without it. */
  audioInputPerMillionUsd: usd.optional(),
  outputPerMillionUsd: usd.optional(),
  tiers: z
    .array(tier)
    .min(1)
    .max(tiersMax)
    .refine(
      (tiers) => new Set(tiers.map(({ aboveInputTokens }) => aboveInputTokens)).size === tiers.length,
      'must not have two tiers with the same aboveInputTokens',
    )
    .optional(),
  perRequestUsd: usd.optional(),
  perThousandEventsUsd: usd.optional(),
  /** Of models that rank documents and are billed by the search. */
  perThousandSearchUnitsUsd: usd.optional(),
});

const id = z.string().regex(/^[A-Za-z0-9][\w.:/-]{0,127}$/, 'must be a name of letters, digits and . : / _ -');

const http = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(8080),
  /** How callers reach the service, for links in replies; null when it is not known. */
  publicUrl: z.url().nullable().default(null),
  /** Stands in front of /api and /v1. */
  pathPrefix: z
    .string()
    .regex(/^(\/[\w.~-]+)*$/, 'must be empty or start with / and not end with it')
    .default(''),
  /** Addresses or networks whose X-Forwarded-For is believed. */
  trustedProxies: z.array(z.string()).max(64).default([]),
  tls: z
    .strictObject({ certFile: z.string().min(1), keyFile: z.string().min(1) })
    .nullable()
    .default(null),
  /** Whether gRPC's server reflection is served, from which tools learn the contract; it is public in /openapi.json as well. */
  reflection: z.boolean().default(true),
  /** How long requests in flight may take to end at shutdown. */
  drainSeconds: z.int().min(0).max(600).default(20),
});

const provider = z.strictObject({
  id,
  kind: z.enum(['builtin', 'openai', 'anthropic', 'google', 'openai-compatible']),
  baseUrl: z.url().optional(),
  apiKeyEnv: environmentName.optional(),
  headers: z.record(z.string(), z.string()).optional(),
});

const model = z.strictObject({
  id,
  provider: id,
  upstreamModel: z.string().min(1).optional(),
  quality: z.int().min(0).max(100),
  contextTokens: z.int().min(1),
  maxOutputTokens: z.int().min(1).optional(),
  imageTokens: z.int().min(1).optional(),
  capabilities: z.array(z.enum(['tools', 'json', 'images', 'reasoning', 'documents', 'audio'])).optional(),
  price: price.optional(),
  cost: price.optional(),
  /** A model that makes vectors: how many numbers they have, and the fewest that a request may ask for. */
  embedding: z
    .strictObject({
      dimensions: z.int().min(1).max(65_536),
      dimensionsMin: z.int().min(1).max(65_536).optional(),
    })
    .refine(
      ({ dimensions, dimensionsMin = 1 }) => dimensionsMin <= dimensions,
      'must not have a dimensionsMin above its dimensions',
    )
    .optional(),
  /** A model that ranks documents: the API of its provider, and the most documents of one request. */
  rerank: z
    .strictObject({
      api: z.enum(['cohere', 'jina', 'voyage', 'builtin']),
      documentsMax: z.int().min(1).max(1_000).optional(),
    })
    .optional(),
  lastResort: z.boolean().optional(),
});

/** What callers may use who show no valid credential: see `AnonymousLimits`. */
const anonymous = z.strictObject({
  /** Open connections of one address (an IPv4 address, or the /64 of an IPv6 address); its /24 or /56 has networkFactor times as many, an IPv6 /48 that factor again. */
  connections: z.int().min(1).default(256),
  /** New ones a minute; connections that show a valid credential do not count. */
  connectionsPerMinute: z.int().min(1).default(600),
  /** Open connections without a credential of all addresses together. */
  totalConnections: z.int().min(1).default(8_000),
  /** Requests and streams at one time of one address. */
  streams: z.int().min(1).default(32),
  /** Those of one connection. */
  streamsPerConnection: z.int().min(1).default(16),
  requestsPerMinute: z.int().min(1).default(600),
  /** Refused credentials a minute. */
  refusedPerMinute: z.int().min(1).default(120),
  /** Bytes a minute, in and out, over connections that showed no credential. */
  mebibytesPerMinute: z.int().min(1).max(1_048_576).default(60),
  /** How many times an address' limits the /24 of an IPv4 address has. */
  networkFactor: z.int().min(1).max(256).default(4),
  /** Connections of one account or end user that do not count as anonymous. */
  ownerConnections: z.int().min(1).default(1_000),
});

const limits = z.strictObject({
  requestsPerMinute: z.int().min(1).default(600),
  tokensPerMinute: z.int().min(1).default(1_000_000),
  concurrent: z.int().min(1).default(64),
  concurrentStreams: z.int().min(1).default(32),
  /** Valkey or Redis that several nodes share; null: each node counts for itself. */
  redisUrl: z.url().nullable().default(null),
  /** How many nodes share the limits; what one node enforces alone when redisUrl is away is a limit divided by this. */
  nodes: z.int().min(1).default(1),
  anonymous: anonymous.prefault({}),
});

const stripe = z.strictObject({
  /** The variable with the secret key, or a restricted one that may write Checkout Sessions and read refunds and disputes. */
  secretKeyEnv: environmentName.default('STRIPE_SECRET_KEY'),
  /** The variable with the webhook's signing secret; several, divided by commas, while one is being replaced. */
  webhookSecretEnv: environmentName.default('STRIPE_WEBHOOK_SECRET'),
  /** Where the customer's browser goes after it has paid. */
  successUrl: z.url(),
  /** Where it goes when the customer gives up; by default successUrl. */
  cancelUrl: z.url().nullable().default(null),
  /** Another place that speaks Stripe's API; null: Stripe's own. */
  apiUrl: z.url().nullable().default(null),
});

const payments = z.strictObject({
  provider: z.enum(['manual', 'stripe', 'sandbox']).default('manual'),
  /** The sandbox pays at once with no money; only where this says so. */
  allowSandbox: z.boolean().default(false),
  maximumTopUpUsd: usd.default('10000'),
  /** How to pay where the provider is "manual", as the console and GetPaymentOptions say it to customers; null: nothing. */
  instructions: z.string().min(1).max(2_000).nullable().default(null),
  /** Needed by the provider "stripe". A test-mode key counts as a sandbox. */
  stripe: stripe.nullable().default(null),
});

const ledger = z.strictObject({
  /** How long a stored reply can be replayed. */
  replyRetentionHours: z.int().min(1).max(720).default(24),
  /** Off: only receipts are kept, and a repeated request gets its charge's id. */
  storeReplies: z.boolean().default(true),
  /** How long a chat's call of a model may run before its hold is committed, where the hold is as good as sure; 0: it never begins before. */
  deferredHoldMs: z.int().min(0).max(1_000).default(20),
});

const chat = z.strictObject({
  /** What a chat costs beside the model when its key has guardrails; 0: nothing. */
  guardrailPricePerRequestUsd: usd.default('0'),
  /**
   * A streamed reply that has nothing to say for so long says that, so that proxies do not end it; less than their read time-out. nginx
   * waits 60 s, those in front of it often less, and the shortest that are usual 5 s: the default leaves them 2 s for a busy node. Longer
   * waits would only let more of the failures that come late have a status of their own.
   */
  keepAliveSeconds: z.int().min(1).max(300).default(3),
  /** Earlier replies that answer the same request again, for requests that ask for it. Needs ledger.storeReplies. */
  cache: z
    .strictObject({
      /** Off: such requests are answered all the same, always by a model. */
      enabled: z.boolean().default(true),
      /** The oldest reply that answers, and the longest that one is kept. */
      maxAgeSeconds: z.int().min(1).max(2_592_000).default(86_400),
      /** When an account has more, its oldest leave. */
      entriesPerAccountMax: z.int().min(1).max(100_000).default(1_000),
    })
    .prefault({}),
  /** Streamed replies that go on where a lost connection ended, for requests that ask for it. Needs ledger.storeReplies. */
  resumable: z
    .strictObject({
      /** How long a reply is kept after its last piece, and made on while nobody reads it; 0: such requests are refused. */
      keptSeconds: z.int().min(0).max(86_400).default(600),
      /** What is kept of one account; beyond it requests are refused, and a reply that grows beyond it is not kept. */
      accountMebibytes: z.int().min(1).max(16_384).default(16),
      /** What is kept of all accounts. */
      mebibytes: z.int().min(1).max(1_048_576).default(1_024),
    })
    .prefault({}),
});

/** Provider keys that accounts bring for their own calls. */
const ownKeys = z.strictObject({
  /** What a request costs that uses such a key, whatever its tokens; null: accounts can bring none. */
  pricePerRequestUsd: usd.nullable().default(null),
  /** Providers whose requests cost something else. */
  pricesPerRequestUsd: z.record(id, usd).prefault({}),
  /** Whose keys are taken: providers of this configuration, or the well-known ones, which need no key of the operator's. */
  providers: z.array(id).max(64).default(['openai', 'anthropic', 'google']),
});

/** The configuration file. Every setting has a default; unknown settings are refused. */
export const configSchema = z.strictObject({
  http: http.prefault({}),
  /** null: a private MariaDB or MySQL under dataDir. */
  database: z.strictObject({ url: z.url().nullable().default(null) }).prefault({}),
  dataDir: z.string().min(1).default('.data'),
  /** The file with the operator token, peppers and encryption keys; by default `secrets.json` under dataDir. */
  secretsFile: z.string().min(1).nullable().default(null),
  providers: z.array(provider).max(256).default([]),
  models: z.array(model).max(4096).default([]),
  ownKeys: ownKeys.prefault({}),
  workflows: z
    .strictObject({
      pricePerRequestUsd: usd.default('0.002'),
      /** Families that cost something else. */
      pricesPerRequestUsd: z
        .strictObject({
          guidance: usd.optional(),
          readiness: usd.optional(),
          risk: usd.optional(),
          draft: usd.optional(),
          decision: usd.optional(),
          scoring: usd.optional(),
          custom: usd.optional(),
        })
        .prefault({}),
    })
    .prefault({}),
  outcomes: z
    .strictObject({
      /** How long what workflows judged, and what became of it, is kept. 0: what is judged is not kept. */
      retentionDays: z.int().min(0).max(3_650).default(400),
    })
    .prefault({}),
  pulse: z
    .strictObject({
      pricePerThousandEventsUsd: usd.default('0.01'),
      /** What the events of an account may carry a day (UTC), as properties and error messages: it is kept for 30 days. */
      mebibytesPerDay: z.int().min(1).max(1_048_576).default(1_024),
    })
    .prefault({}),
  payments: payments.prefault({}),
  webhooks: z
    .strictObject({
      /** Lets customers' endpoints be plain HTTP and in private networks, the service's own host included. */
      allowPrivateNetworks: z.boolean().default(false),
    })
    .prefault({}),
  console: z
    .strictObject({
      /** Whether `/console/` is served, and browsers can sign in. Off: no cookie means anything here. */
      enabled: z.boolean().default(true),
    })
    .prefault({}),
  limits: limits.prefault({}),
  ledger: ledger.prefault({}),
  chat: chat.prefault({}),
  /** Traces by OpenTelemetry over OTLP/HTTP; null: none. */
  tracing: z
    .strictObject({
      endpoint: z.url(),
      sampleRatio: z.number().min(0).max(1).default(1),
      /** Whether spans of model calls have what was asked and answered: words of customers, sent to the collector. */
      content: z.boolean().default(false),
      /** The most of each attribute with such words, in bytes; longer ones are cut. */
      contentBytesMax: z.int().min(256).max(262_144).default(16_384),
    })
    .nullable()
    .default(null),
  /** Metrics by OpenTelemetry over OTLP/HTTP, beside `/metrics`; null: none. */
  metrics: z
    .strictObject({
      endpoint: z.url(),
      /** How often they are sent. */
      intervalSeconds: z.int().min(1).max(3_600).default(60),
    })
    .nullable()
    .default(null),
  log: z
    .strictObject({ level: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info') })
    .prefault({}),
});

export type Settings = z.infer<typeof configSchema>;
