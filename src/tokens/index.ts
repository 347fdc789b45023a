import type { JWK } from 'jose';
import type { Logger } from 'pino';
import type { Clock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { createGroupReader } from '../base/group-reader.ts';
import { createRounds } from '../base/rounds.ts';
import type { Seal } from '../base/seal.ts';
import type { CredentialChanges } from '../db/credential-changes.ts';
import type { Database, Transactional } from '../db/index.ts';
import { createAttempts } from './attempts.ts';
import { lesserCap, ownKey, scopesOf, ttlSecondsDefault, violationsOf } from './bounds.ts';
import { type Clients, createClients } from './clients.ts';
import { createClientsStore } from './clients-store.ts';
import { digestOf } from './codes.ts';
import { createDeviceFlow, type DeviceFlow, type WaitingMax } from './device-flow.ts';
import { createDevices, type Devices } from './devices.ts';
import { createDevicesStore } from './devices-store.ts';
import { createGrantsStore } from './grants-store.ts';
import { createMinter } from './minter.ts';
import { createSigningKeys } from './signing-keys.ts';
import { createSigningKeysStore } from './signing-keys-store.ts';
import { createTokenVerifier, type TokenLookUps } from './token-verifier.ts';
import { createTokensStore } from './tokens-store.ts';
import type { IssuedToken, Manager, NewToken, ParentKey, VerifiedToken } from './types.ts';

export type { Clients } from './clients.ts';
export type { DeviceFlow } from './device-flow.ts';
export type { Devices } from './devices.ts';
export {
  type ClientApplication,
  type Device,
  type DeviceApproval,
  type DeviceAuthorization,
  type DeviceTokens,
  type DeviceWish,
  type IssuedToken,
  type Manager,
  type NewToken,
  type OauthErrorCode,
  type OauthResult,
  type ParentKey,
  tokenScopes,
  type VerifiedToken,
} from './types.ts';

/** Short-lived access tokens, client applications and devices. `within`: the transaction to join; absent: its own. */
export interface Tokens {
  /** Issues a token for one end user. Fails with `invalid_argument`, or like the key if the key itself asks. */
  issue(request: NewToken, within?: Transactional): Promise<Result<IssuedToken>>;
  /**
   * Verifies a token. Synchronous, without the database, if the token was seen before and nothing has changed since. Fails with
   * `credential_invalid`, `token_expired`, `key_revoked` or `overloaded`.
   */
  verify(accessToken: string, from?: { readonly peer: string }): Result<VerifiedToken> | Promise<Result<VerifiedToken>>;
  /** Revokes one token, everywhere within a second. */
  revoke(by: Manager, tokenId: string, within?: Transactional): Promise<Result<void>>;
  /** RFC 7009: ends a token, or the device of a refresh token, that was issued to this client. Reveals nothing about others. */
  revokeForClient(request: { clientId: string; token: string }): Promise<void>;
  /** The public signing keys (RFC 7517). */
  jwks(): Promise<{ keys: JWK[] }>;
  /** Throws if the secrets cannot be those that the database was used with. Call it before serving. */
  checkSigningKeys(): Promise<void>;
  readonly clients: Clients;
  readonly devices: Devices;
  readonly deviceFlow: DeviceFlow;
  close(): Promise<void>;
}

export interface TokensOptions {
  db: Database;
  clock: Clock;
  log: Logger;
  changes: CredentialChanges;
  /** Encrypts the signing keys in the database. */
  seal: Seal;
  /** The service's public address, used as `iss` and `aud`. Called at each use, as the port may be known late. */
  issuer(): string;
  /** Whether `issuer` is the address of this node alone, because none was configured for the service. */
  issuerOfNode?: boolean;
  /** Looks up API keys; provided by the keys room. */
  parentOf(keyId: string): Result<ParentKey> | Promise<Result<ParentKey>>;
  /** See `DeviceFlowOptions`. */
  waitingMax?: WaitingMax;
  /** Limits checks of unknown tokens by address; absent: no limit. */
  lookUps?: TokenLookUps;
  rotateSigningKeyEveryMs?: number;
  publishAheadMs?: number;
}

const wrongCodesPerMinute = 10;
const pruneEveryMs = 600_000;
/** How long expired rows are kept, for people to look at. */
const keptAfterMs = 24 * 3_600_000;
/** Anybody can ask for device approval, and few such requests are of interest later. */
const undecidedKeptAfterMs = 10 * 60_000;

export function createTokens(options: TokensOptions): Tokens {
  const { db, clock, log, changes, seal, issuer, parentOf, rotateSigningKeyEveryMs, publishAheadMs } = options;
  const signingKeys = createSigningKeys({
    store: createSigningKeysStore(db),
    seal,
    clock,
    log,
    ...(rotateSigningKeyEveryMs !== undefined && { rotateEveryMs: rotateSigningKeyEveryMs }),
    ...(publishAheadMs !== undefined && { publishAheadMs }),
  });
  const store = createTokensStore({ db, changes });
  const devicesStore = createDevicesStore({ db, changes, now: clock.now });
  const grantsStore = createGrantsStore({ db, now: clock.now });
  const clientsStore = createClientsStore(db);
  const mint = createMinter({ signingKeys, issuer, clock });
  const states = createGroupReader({
    load: store.load,
    onError: (error) => log.error({ err: error }, 'access tokens could not be read'),
  });
  const verifier = createTokenVerifier({
    clock,
    signingKeys,
    issuer: () => (options.issuerOfNode ? undefined : issuer()),
    readState: states.read,
    parentOf,
    fresh: changes.fresh,
    lookUps: options.lookUps,
  });
  const attempts = createAttempts({ wrongPerMinute: wrongCodesPerMinute, now: clock.now });
  const stopListening = changes.onChange((change) => verifier.forget(change?.credentialId));
  const rounds = createRounds({
    everyMs: pruneEveryMs,
    run: async () => {
      await store.prune(clock.now() - keptAfterMs);
      await grantsStore.prune(clock.now() - keptAfterMs, clock.now() - undecidedKeptAfterMs);
      await devicesStore.prune(clock.now() - keptAfterMs);
    },
    onError: (error) => log.warn({ err: error }, 'expired tokens were not removed; the next round will'),
  });
  rounds.start();

  async function issue(request: NewToken, within?: Transactional): Promise<Result<IssuedToken>> {
    const found = await parentOf(request.keyId);
    const parent = request.accountId === undefined ? found : ownKey(found, request.accountId);
    if (!parent.ok) return parent;
    const { keyId, accountId, expireTime, spendingCap } = parent.value;
    const violations = violationsOf(request, parent.value);
    if (violations.length > 0) return fail({ kind: 'invalid_argument', violations });
    const scopes = request.scopes && request.scopes.length > 0 ? request.scopes : scopesOf(parent.value);
    const cap = lesserCap(request.spendingCap, spendingCap);
    const { token, accessToken } = await mint({
      accountId,
      keyId,
      clientId: keyId,
      subject: request.subject,
      scopes,
      expireTime: Math.min(
        clock.now() + (request.ttlSeconds ?? ttlSecondsDefault) * 1000,
        expireTime ?? Number.POSITIVE_INFINITY,
      ),
      ...(request.sessionId !== undefined && { sessionId: request.sessionId }),
      ...(request.spendingCap !== undefined && cap !== undefined && { spendingCap: cap }),
      ...(request.models && request.models.length > 0 && { models: request.models }),
    });
    await store.insert(token, within);
    return succeed({ tokenId: token.id, accessToken, expireTime: token.expireTime, scopes });
  }

  async function revokeForClient({ clientId, token }: { clientId: string; token: string }): Promise<void> {
    if (token.startsWith('ik_refresh_')) {
      const device = await devicesStore.deviceOfRefresh(digestOf(token));
      if (device?.clientId === clientId) await devicesStore.revoke(device, device.id, 'revoked by the device');
      return;
    }
    const verified = await verifier.verify(token);
    if (verified.ok && verified.value.clientId === clientId)
      await store.revoke(verified.value, verified.value.tokenId, { time: clock.now() });
  }

  return {
    issue,
    verify: verifier.verify,
    async revoke(by, tokenId, within) {
      const isThere = await store.revoke(by, tokenId, { time: clock.now(), within });
      return isThere ? succeed(undefined) : fail({ kind: 'not_found', resource: 'token' });
    },
    revokeForClient,
    jwks: signingKeys.jwks,
    checkSigningKeys: signingKeys.check,
    clients: createClients({ store: clientsStore, clock, parentOf }),
    devices: createDevices({
      store: devicesStore,
      grants: grantsStore,
      clients: clientsStore,
      clock,
      attempts,
      parentOf,
    }),
    deviceFlow: createDeviceFlow({
      store: devicesStore,
      grants: grantsStore,
      clients: clientsStore,
      clock,
      mint,
      activationUri: () => `${issuer()}/activate`,
      parentOf,
      waitingMax: options.waitingMax,
    }),
    async close() {
      stopListening();
      await rounds.close();
    },
  };
}
