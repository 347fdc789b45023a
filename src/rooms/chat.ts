import { setTimeout as sleep } from 'node:timers/promises';
import { createSeal } from '../base/seal.ts';
import { createSharedTurns } from '../base/shared-turns.ts';
import {
  createChat,
  createKeptStreams,
  createProviderStates,
  createReplyCache,
  type GuardrailDeps,
  tokenCounter,
} from '../chat/index.ts';
import { createEmbeddings } from '../embeddings/index.ts';
import { createReranking } from '../reranking/index.ts';
import { createOwnPacks, type OwnPacks, sightingsIn } from '../workflows/index.ts';
import type { Foundation } from './foundation.ts';
import type { Models } from './models.ts';
import type { Money } from './money.ts';
import type { Opening } from './opening.ts';
import type { Telemetry } from './telemetry.ts';

export type Chats = ReturnType<typeof openChat>;

/** For what providers were already asked for. What is not settled by then expires, and is charged for the progress recorded. */
const drainMaxMs = 30_000;

/**
 * Checks of long texts at one time. The longest take three seconds of a sandbox's processor each, before the account's limits
 * are looked at: an owner's four take about 6 s, and who has more is asked to come back.
 */
const textChecks = { all: 8, each: 2, waitingMax: 2 };

/** What callers ask models for: chat, embeddings and rankings, and the accounts' own packs, which chat's guardrails use. */
export function openChat(opening: Opening, below: Foundation & Telemetry & Money & Models) {
  const { config, secrets, clock, log, stack } = opening;
  const { sandbox, db, changes, ledger, calling } = below;
  const replies = openKeptReplies(opening, below);
  const ownPacks = stack.use(createOwnPacks({ db, clock, changes }));
  const chat = createChat({
    ...{ ...calling, ...replies, ledger, sandbox, log },
    deferHoldMs: config.ledger.deferredHoldMs,
    states: createProviderStates(createSeal(secrets.encryptionKeys)),
    guardrails: guardrailsBy(ownPacks, below),
  });
  const ofTexts = {
    ...{ ...calling, ledger },
    countTokens: (owner: string, texts: readonly string[]) => tokenCounter(sandbox, owner)(texts),
    checkInTurn: createSharedTurns(textChecks),
  };
  const embeddings = createEmbeddings(ofTexts);
  const reranking = createReranking(ofTexts);
  const drained = () => Promise.all([chat.drained(), embeddings.drained(), reranking.drained()]);
  stack.defer(() => Promise.race([drained(), sleep(drainMaxMs, undefined, { ref: false })]));
  return { chat, embeddings, reranking, ownPacks };
}

/** Where replies outlast their call: for the same question asked again, and for streams that are read on later. */
function openKeptReplies(
  { config, secrets, log, stack }: Opening,
  { db, metrics, wallets }: Foundation & Money & Telemetry,
) {
  const cache = stack.start(
    createReplyCache({
      db,
      wallets,
      log,
      seal: createSeal(secrets.encryptionKeys),
      secret: secrets.fingerprintKey,
      // Where replies must not be stored, they must not be cached either.
      settings: { ...config.chat.cache, enabled: config.chat.cache.enabled && config.ledger.storeReplies },
      observe: metrics.observeCache,
    }),
  );
  const { keptSeconds, accountMebibytes, mebibytes } = config.chat.resumable;
  // Where replies must not be stored, they must not be kept for minutes either.
  if (keptSeconds === 0 || !config.ledger.storeReplies) return { cache, streams: undefined };
  const streams = stack.start(
    createKeptStreams({
      ...{ db, log, seal: createSeal(secrets.encryptionKeys) },
      settings: {
        keptMs: keptSeconds * 1_000,
        accountBytesMax: accountMebibytes * 1_048_576,
        bytesMax: mebibytes * 1_048_576,
      },
    }),
  );
  return { cache, streams };
}

/** Chat is judged by the packs that the risk check judges by, and by the accounts' own. */
function guardrailsBy(ownPacks: OwnPacks, { catalog, wallets }: Models & Money): GuardrailDeps {
  return {
    find: (text, packs, isCut) => sightingsIn(text, packs, isCut),
    ownPacks: async (accountId, ids) => {
      const { rules, missing } = (await ownPacks.of(accountId)).select({ packs: ids, domain: '' });
      return {
        missing,
        versions: rules.labels,
        find: (text, packs, isCut) => sightingsIn(text, packs, isCut, rules),
      };
    },
    fee: (accountId) => catalog.price('guardrail', accountId)?.perRequest ?? 0n,
    wasCharged: async (accountId, scope, key) => (await wallets.findCharge(accountId, scope, key))?.state === 'settled',
  };
}
