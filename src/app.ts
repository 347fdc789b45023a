import { accountService } from './api/account.ts';
import { auditService, createRecordChange } from './api/audit.ts';
import { chatService } from './api/chat.ts';
import { clientService } from './api/client.ts';
import { createDeviceDecisions } from './api/device-decisions.ts';
import { embeddingService } from './api/embedding.ts';
import { keyService } from './api/key.ts';
import { limitService } from './api/limit.ts';
import { createOnce } from './api/once.ts';
import { operationsService } from './api/operations.ts';
import { outcomeService } from './api/outcome.ts';
import { providerKeyService } from './api/provider-key.ts';
import { pulseService } from './api/pulse.ts';
import { rerankService } from './api/rerank.ts';
import { tokenService } from './api/token.ts';
import { walletService } from './api/wallet.ts';
import { webhookService } from './api/webhook.ts';
import { workflowService } from './api/workflow.ts';
import { systemClock } from './base/clock.ts';
import { isId } from './base/ids.ts';
import {
  createAuthenticator,
  createGate,
  createItems,
  createRevocations,
  createSessionCallers,
  limitAdmission,
  monitorReadiness,
  registerConsole,
  registerMetrics,
  registerOauth,
  registerWebhooks,
  serveEdge,
  type WebhookReceiver,
} from './edge/index.ts';
import { openRooms, type Rooms, type RoomsOptions } from './rooms/index.ts';

/** A running service. */
export interface App {
  /** The address it listens on, for example `http://127.0.0.1:8080`. */
  url: string;
  rooms: Rooms;
  /** Lets work in flight finish, then stops everything in reverse order of starting. */
  close(): Promise<void>;
}

/** Builds the service and starts serving. On failure, throws an error that says what to do, and leaves nothing running. */
export async function buildApp(options: RoomsOptions): Promise<App> {
  const { config, progress } = options;
  const rooms = await openRooms(options);
  const readiness = monitorReadiness(() => rooms.db.ping());
  try {
    const shared = sharedBy(options, rooms, readiness);
    const services = servicesOver(rooms, shared);
    const gate = gateOver(options, rooms, { ...shared, services });
    progress('opening the port');
    const server = await serve(options, rooms, { ...shared, services, gate });
    rooms.address.publicUrl = (config.http.publicUrl ?? server.url).replace(/\/+$/, '');
    return {
      url: server.url,
      rooms,
      close: async () => {
        await server.close(config.http.drainSeconds * 1000);
        readiness.stop();
        await rooms.close();
      },
    };
  } catch (error) {
    readiness.stop();
    await rooms.close();
    throw error;
  }
}

type Readiness = ReturnType<typeof monitorReadiness>;
type Shared = ReturnType<typeof sharedBy>;
type Services = ReturnType<typeof servicesOver>;

/** What the services, the gate and the pages have in common. */
function sharedBy({ config, secrets: { fingerprintKey } }: RoomsOptions, rooms: Rooms, readiness: Readiness) {
  const recordChange = createRecordChange(rooms);
  return {
    readiness,
    fingerprintKey,
    recordChange,
    texts: textsOf(config),
    keepAliveMs: config.chat.keepAliveSeconds * 1_000,
    deviceDecisions: createDeviceDecisions({ ...rooms, recordChange }),
    authenticate: createAuthenticator({ keys: rooms.keys, tokens: rooms.tokens, operators: rooms.operators }),
  };
}

function servicesOver(rooms: Rooms, shared: Shared) {
  const { readiness, fingerprintKey, recordChange, texts, keepAliveMs, deviceDecisions } = shared;
  const items = createItems(texts);
  const once = createOnce({ writes: rooms.writes, fingerprintKey });
  return [
    accountService({ ...rooms, once }),
    auditService(rooms),
    operationsService({ ...rooms, readiness }),
    keyService({ ...rooms, once }),
    providerKeyService({ ...rooms, recordChange, once }),
    limitService(rooms),
    tokenService({ ...rooms, deviceDecisions, recordChange, once }),
    clientService({ ...rooms, recordChange, once }),
    walletService(rooms),
    webhookService({ ...rooms, recordChange, once }),
    chatService({ chat: rooms.chat, fingerprintKey, keepAliveMs }),
    embeddingService({ embeddings: rooms.embeddings, fingerprintKey }),
    rerankService({ reranking: rooms.reranking, fingerprintKey }),
    pulseService({ pulse: rooms.pulse, fingerprintKey }),
    workflowService({ ...rooms, fingerprintKey, items, recordChange, once, clock: systemClock }),
    outcomeService({ outcomes: rooms.outcomes, items }),
  ];
}

function gateOver(
  { config, log }: RoomsOptions,
  rooms: Rooms,
  { services, authenticate, texts }: Shared & { services: Services },
) {
  return createGate({
    services,
    authenticate,
    sessions: config.console.enabled ? createSessionCallers(rooms) : undefined,
    admission: limitAdmission(rooms.limits),
    revocations: revocationsOf(rooms),
    clock: systemClock,
    log,
    texts,
    observe: rooms.metrics.observeCall,
    traceCall: rooms.tracing?.traceCall,
  });
}

function revocationsOf({ changes, accounts, sessions }: Rooms) {
  return createRevocations({
    onRevoked: (listener) =>
      changes.onChange((change) => {
        if (!change || change.kind === 'revoked') listener(change?.credentialId);
      }),
    revokedAmong: changes.revokedAmong,
    onAccountChange: (listener) =>
      changes.onChange((change) => {
        if (!change || isId('acc', change.credentialId)) listener(change?.credentialId);
      }),
    standing: accounts.standing,
    watchSession: sessions.watch,
  });
}

/** Opens the port, with the pages beside the services. */
function serve(
  { config, log }: RoomsOptions,
  rooms: Rooms,
  shared: Shared & { services: Services; gate: ReturnType<typeof gateOver> },
) {
  const { services, gate, readiness, authenticate, texts, keepAliveMs, deviceDecisions } = shared;
  const { enabled } = config.console;
  const issuer = () => rooms.address.publicUrl;
  return serveEdge({
    http: config.http,
    issuer,
    services,
    gate,
    readiness,
    log,
    anonymous: rooms.limits.anonymous,
    reflection: config.http.reflection,
    keepAliveMs,
    takesSessions: enabled,
    ...(enabled && { home: '/console/' }),
    routes: (server) => {
      if (enabled)
        registerConsole(server, {
          ...{ ...rooms, authenticate, log, clock: systemClock },
          apiPrefix: config.http.pathPrefix,
          sandbox: rooms.sandboxMoney,
        });
      registerOauth(server, { ...rooms, deviceDecisions, log, issuer, console: enabled });
      registerMetrics(server, { text: rooms.metrics.text, authenticate, anonymous: rooms.limits.anonymous, texts });
      registerWebhooks(server, webhookReceivers(rooms), log);
    },
  });
}

function textsOf({ http }: RoomsOptions['config']) {
  return {
    minimumTopUpUsd: '5.00',
    topUpUrl: http.publicUrl ? `${http.publicUrl}${http.pathPrefix}/v1/wallet/top-ups` : undefined,
  };
}

/** Services that send webhooks to this one. */
function webhookReceivers({ stripeEvents }: Rooms): WebhookReceiver[] {
  if (!stripeEvents) return [];
  return [{ path: '/webhooks/stripe', signatureHeader: 'stripe-signature', receive: stripeEvents.receive }];
}
