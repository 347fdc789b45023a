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
  const { config, secrets, log, progress } = options;
  const rooms = await openRooms(options);
  const readiness = monitorReadiness(() => rooms.db.ping());
  try {
    const texts = textsOf(options);
    const items = createItems(texts);
    const { fingerprintKey } = secrets;
    const keepAliveMs = config.chat.keepAliveSeconds * 1_000;
    const once = createOnce({ writes: rooms.writes, fingerprintKey });
    const recordChange = createRecordChange(rooms);
    const deviceDecisions = createDeviceDecisions({ ...rooms, recordChange });
    const services = [
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
    const authenticate = createAuthenticator({
      keys: rooms.keys,
      tokens: rooms.tokens,
      operators: rooms.operators,
    });
    const gate = createGate({
      services,
      authenticate,
      sessions: config.console.enabled ? createSessionCallers(rooms) : undefined,
      admission: limitAdmission(rooms.limits),
      revocations: createRevocations({
        onRevoked: (listener) =>
          rooms.changes.onChange((change) => {
            if (!change || change.kind === 'revoked') listener(change?.credentialId);
          }),
        revokedAmong: rooms.changes.revokedAmong,
        onAccountChange: (listener) =>
          rooms.changes.onChange((change) => {
            if (!change || isId('acc', change.credentialId)) listener(change?.credentialId);
          }),
        standing: rooms.accounts.standing,
        watchSession: rooms.sessions.watch,
      }),
      clock: systemClock,
      log,
      texts,
      observe: rooms.metrics.observeCall,
      traceCall: rooms.tracing?.traceCall,
    });
    progress('opening the port');
    const issuer = () => rooms.address.publicUrl;
    const server = await serveEdge({
      http: config.http,
      issuer,
      services,
      gate,
      readiness,
      log,
      anonymous: rooms.limits.anonymous,
      reflection: config.http.reflection,
      keepAliveMs,
      takesSessions: config.console.enabled,
      ...(config.console.enabled && { home: '/console/' }),
      routes: (server) => {
        if (config.console.enabled)
          registerConsole(server, {
            ...{ ...rooms, authenticate, log, clock: systemClock },
            apiPrefix: config.http.pathPrefix,
            sandbox: rooms.sandboxMoney,
          });
        registerOauth(server, { ...rooms, deviceDecisions, log, issuer, console: config.console.enabled });
        registerMetrics(server, { text: rooms.metrics.text, authenticate, anonymous: rooms.limits.anonymous, texts });
        registerWebhooks(server, webhookReceivers(rooms), log);
      },
    });
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

function textsOf({ config: { http } }: RoomsOptions) {
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
