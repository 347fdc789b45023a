import { z } from 'zod';
import { parseUsd } from '../base/money.ts';

const usd = z
  .string()
  .refine((text) => parseUsd(text) !== undefined, 'must be a decimal amount of USD in quotes, such as "0.15"');

const environmentName = z
  .string()
  .regex(/^[A-Z_][A-Z0-9_]*$/, 'must be the name of an environment variable, not the secret itself');

/** Providers have one or two; each adds another way to price a request. */
const tiersMax = 8;

const tier = z.strictObject({
  /** Above this many input tokens, these prices apply to every token of the request. */
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
  /** Input that the provider had cached; priced like other input if absent. */
  cachedInputPerMillionUsd: usd.optional(),
  /** Input that the provider wrote into its cache; priced like other input if absent. */
  cacheWriteInputPerMillionUsd: usd.optional(),
  /** Input that the provider wrote into its one-hour cache; if absent, nothing is kept for an hour. */
  cacheWrite1hInputPerMillionUsd: usd.optional(),
  /** Audio; without it, a model with the audio capability is not offered. */
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
  /** For reranking models billed by the search unit. */
  perThousandSearchUnitsUsd: usd.optional(),
});

const id = z.string().regex(/^[A-Za-z0-9][\w.:/-]{0,127}$/, 'must be a name of letters, digits and . : / _ -');

const http = z.strictObject({
  host: z.string().min(1).default('127.0.0.1'),
  port: z.int().min(0).max(65_535).default(8080),
  /** The address at which callers reach the service, for links in replies; null if unknown. */
  publicUrl: z.url().nullable().default(null),
  /** Prefixed to /api and /v1. */
  pathPrefix: z
    .string()
    .regex(/^(\/[\w.~-]+)*$/, 'must be empty or start with / and not end with it')
    .default(''),
  /** Addresses or networks whose X-Forwarded-For is trusted. */
  trustedProxies: z.array(z.string()).max(64).default([]),
  tls: z
    .strictObject({ certFile: z.string().min(1), keyFile: z.string().min(1) })
    .nullable()
    .default(null),
  /** Whether to serve gRPC server reflection, from which tools learn the contract; the contract is also public in /openapi.json. */
  reflection: z.boolean().default(true),
  /** How long requests in flight may take to finish at shutdown. */
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
  /** An embedding model: the length of its vectors, and the shortest that a request may ask for. */
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
  /** A reranking model: its provider's API, and the most documents per request. */
  rerank: z
    .strictObject({
      api: z.enum(['cohere', 'jina', 'voyage', 'builtin']),
      documentsMax: z.int().min(1).max(1_000).optional(),
    })
    .optional(),
  lastResort: z.boolean().optional(),
});

/** What callers without a valid credential may use: see `AnonymousLimits`. */
const anonymous = z.strictObject({
  /**
   * Open connections per address (an IPv4 address, or the /64 of an IPv6 address); its /24 or /56 may have networkFactor times
   * as many, an IPv6 /48 that factor again.
   */
  connections: z.int().min(1).default(256),
  /** New connections per minute; those that show a valid credential do not count. */
  connectionsPerMinute: z.int().min(1).default(600),
  /** Open connections without a credential, across all addresses. */
  totalConnections: z.int().min(1).default(8_000),
  /** Concurrent requests and streams per address. */
  streams: z.int().min(1).default(32),
  /** Those on one connection. */
  streamsPerConnection: z.int().min(1).default(16),
  requestsPerMinute: z.int().min(1).default(600),
  /** Refused credentials per minute. */
  refusedPerMinute: z.int().min(1).default(120),
  /** Transfer per minute, in and out, over connections that have shown no credential. */
  mebibytesPerMinute: z.int().min(1).max(1_048_576).default(60),
  /** A network's limits are this many times those of an address: the /24 of an IPv4 address, the /56 of an IPv6 one. */
  networkFactor: z.int().min(1).max(256).default(4),
  /** Connections of one account or end user that do not count as anonymous. */
  ownerConnections: z.int().min(1).default(1_000),
});

const limits = z.strictObject({
  requestsPerMinute: z.int().min(1).default(600),
  tokensPerMinute: z.int().min(1).default(1_000_000),
  concurrent: z.int().min(1).default(64),
  concurrentStreams: z.int().min(1).default(32),
  /** Valkey or Redis shared by several nodes; null: each node counts on its own. */
  redisUrl: z.url().nullable().default(null),
  /** How many nodes share the limits; while redisUrl is unavailable, each node enforces the limits divided by this. */
  nodes: z.int().min(1).default(1),
  anonymous: anonymous.prefault({}),
});

const stripe = z.strictObject({
  /** The variable with the secret key, or with a restricted one that may write Checkout Sessions and read refunds and disputes. */
  secretKeyEnv: environmentName.default('STRIPE_SECRET_KEY'),
  /** The variable with the webhook signing secret; several, separated by commas, while one is being replaced. */
  webhookSecretEnv: environmentName.default('STRIPE_WEBHOOK_SECRET'),
  /** Where the customer's browser goes after paying. */
  successUrl: z.url(),
  /** Where it goes if the customer cancels; successUrl by default. */
  cancelUrl: z.url().nullable().default(null),
  /** Another server that speaks Stripe's API; null: Stripe's own. */
  apiUrl: z.url().nullable().default(null),
});

const payments = z.strictObject({
  provider: z.enum(['manual', 'stripe', 'sandbox']).default('manual'),
  /** The sandbox pays instantly without real money; only allowed if this is true. */
  allowSandbox: z.boolean().default(false),
  maximumTopUpUsd: usd.default('10000'),
  /** How to pay if the provider is "manual", as shown to customers by the console and GetPaymentOptions; null: nothing. */
  instructions: z.string().min(1).max(2_000).nullable().default(null),
  /** Required for the provider "stripe". A test-mode key counts as a sandbox. */
  stripe: stripe.nullable().default(null),
});

const ledger = z.strictObject({
  /** How long a stored reply can be replayed. */
  replyRetentionHours: z.int().min(1).max(720).default(24),
  /** If off, only receipts are kept, and a repeated request gets its charge's id. */
  storeReplies: z.boolean().default(true),
  /**
   * How long a chat's model call may run before its hold is committed, if the hold is all but certain to succeed; 0: never
   * starts before the commit.
   */
  deferredHoldMs: z.int().min(0).max(1_000).default(20),
});

const chat = z.strictObject({
  /** What a chat costs on top of the model if its key has guardrails; 0: nothing. */
  guardrailPricePerRequestUsd: usd.default('0'),
  /**
   * A streamed reply that has been silent for this long sends a keep-alive, so that proxies do not close it; must be less than
   * their read timeout. nginx waits 60 s, proxies in front of it often less, and the shortest common timeout is 5 s: the
   * default leaves 2 s for a busy node. A longer wait would only let more of the failures that come late have a status of their
   * own.
   */
  keepAliveSeconds: z.int().min(1).max(300).default(3),
  /** Reuses earlier replies to the same request, for requests that ask for it. Needs ledger.storeReplies. */
  cache: z
    .strictObject({
      /** If off, such requests are still answered, but always by a model. */
      enabled: z.boolean().default(true),
      /** The maximum age of a reused reply, and how long one is kept. */
      maxAgeSeconds: z.int().min(1).max(2_592_000).default(86_400),
      /** Beyond this, an account's oldest replies are evicted. */
      entriesPerAccountMax: z.int().min(1).max(100_000).default(1_000),
    })
    .prefault({}),
  /** Streamed replies that can be resumed after a lost connection, for requests that ask for it. Needs ledger.storeReplies. */
  resumable: z
    .strictObject({
      /** How long a reply is kept after its last piece, and how long it is generated while nobody reads it; 0: such requests are refused. */
      keptSeconds: z.int().min(0).max(86_400).default(600),
      /** How much is kept per account; beyond it, requests are refused, and a reply that grows past it is not kept. */
      accountMebibytes: z.int().min(1).max(16_384).default(16),
      /** How much is kept for all accounts. */
      mebibytes: z.int().min(1).max(1_048_576).default(1_024),
    })
    .prefault({}),
});

/** Provider keys that accounts bring for their own calls. */
const ownKeys = z.strictObject({
  /** What a request with such a key costs, whatever its tokens; null: accounts cannot bring keys. */
  pricePerRequestUsd: usd.nullable().default(null),
  /** Providers whose requests have a different price. */
  pricesPerRequestUsd: z.record(id, usd).prefault({}),
  /** Whose keys are accepted: providers in this configuration, or the well-known ones, which need no key of the operator's. */
  providers: z.array(id).max(64).default(['openai', 'anthropic', 'google']),
});

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'silent'] as const;

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
      /** Families with a different price. */
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
      /** How long workflow judgements and their outcomes are kept. 0: judgements are not kept. */
      retentionDays: z.int().min(0).max(3_650).default(400),
    })
    .prefault({}),
  pulse: z
    .strictObject({
      pricePerThousandEventsUsd: usd.default('0.01'),
      /** How much data an account's events may carry per day (UTC), as properties and error messages: it is kept for 30 days. */
      mebibytesPerDay: z.int().min(1).max(1_048_576).default(1_024),
    })
    .prefault({}),
  payments: payments.prefault({}),
  webhooks: z
    .strictObject({
      /** Allows customers' endpoints to use plain HTTP and private networks, including the service's own host. */
      allowPrivateNetworks: z.boolean().default(false),
    })
    .prefault({}),
  console: z
    .strictObject({
      /** Whether `/console/` is served and browsers can sign in. If off, cookies are ignored. */
      enabled: z.boolean().default(true),
    })
    .prefault({}),
  limits: limits.prefault({}),
  ledger: ledger.prefault({}),
  chat: chat.prefault({}),
  /** OpenTelemetry traces over OTLP/HTTP; null: none. */
  tracing: z
    .strictObject({
      endpoint: z.url(),
      sampleRatio: z.number().min(0).max(1).default(1),
      /** Whether spans of model calls include prompts and replies: customers' words, sent to the collector. */
      content: z.boolean().default(false),
      /** The maximum size of each such attribute, in bytes; longer ones are cut. */
      contentBytesMax: z.int().min(256).max(262_144).default(16_384),
    })
    .nullable()
    .default(null),
  /** OpenTelemetry metrics over OTLP/HTTP, in addition to `/metrics`; null: none. */
  metrics: z
    .strictObject({
      endpoint: z.url(),
      /** How often to send them. */
      intervalSeconds: z.int().min(1).max(3_600).default(60),
    })
    .nullable()
    .default(null),
  log: z.strictObject({ level: z.enum(logLevels).default('info') }).prefault({}),
});

export type Settings = z.infer<typeof configSchema>;
