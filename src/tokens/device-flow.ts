import type { Clock } from '../base/clock.ts';
import type { Result } from '../base/failure.ts';
import { scopesOf, ttlSecondsDefault } from './bounds.ts';
import type { ClientsStore } from './clients-store.ts';
import { digestOf, newDeviceSecret, newUserCode, printUserCode } from './codes.ts';
import type { DevicesStore, NewDeviceCredentials, Refresh } from './devices-store.ts';
import type { Grant, GrantsStore, Waiting } from './grants-store.ts';
import type { Minter } from './minter.ts';
import type {
  ClientApplication,
  Device,
  DeviceAuthorization,
  DeviceTokens,
  OauthErrorCode,
  OauthResult,
  ParentKey,
} from './types.ts';

/** What devices themselves call: the OAuth 2.0 device authorization grant (RFC 8628) with rotating refresh tokens. */
export interface DeviceFlow {
  /**
   * RFC 8628, 3.1. `network` is where it comes from, as limits count addresses. Fails with `temporarily_unavailable` while too
   * many devices are waiting for approval.
   */
  authorize(request: AuthorizeRequest): Promise<OauthResult<DeviceAuthorization>>;
  /** RFC 8628, 3.4: one poll. */
  redeem(request: { clientId: string; deviceCode: string }): Promise<OauthResult<DeviceTokens>>;
  /** RFC 6749, 6; a refresh token works once, and its second use ends the device (RFC 9700, 4.14.2). */
  refresh(request: { clientId: string; refreshToken: string; scope?: string }): Promise<OauthResult<DeviceTokens>>;
}

export interface AuthorizeRequest {
  clientId: string;
  scope?: string;
  network: string;
}

export interface DeviceFlowOptions {
  store: DevicesStore;
  grants: GrantsStore;
  clients: ClientsStore;
  clock: Clock;
  mint: Minter;
  /** Where people enter user codes, unless the client application has its own page. */
  activationUri: () => string;
  parentOf(keyId: string): Result<ParentKey> | Promise<Result<ParentKey>>;
  /** How many devices may wait for approval at once; default `waitingMaxDefault`. */
  waitingMax?: WaitingMax | undefined;
}

/** The most that may wait, however much room there is. */
export type WaitingMax = Pick<Waiting, 'all' | 'ofAccount' | 'ofNetwork' | 'ofSite'>;

/** Asking for approval needs no credential. Few enough to store, and more than people approve in 15 minutes. */
const waitingMaxDefault: WaitingMax = { all: 20_000, ofAccount: 5_000, ofNetwork: 50, ofSite: 500 };

/**
 * The share of the remaining room, in total and per account, that each may have (dynamic thresholds, Choudhury and Hahne 1998):
 * those with much are refused long before all is full, and those with nothing yet find room.
 */
const shareOfSite = 1 / 8;
const shareOfRegion = 1 / 2;
const shareOfAccount = 1 / 2;

const grantLifeMs = 15 * 60_000;
const intervalMs = 5_000;
/** RFC 8628, 3.5: each `slow_down` adds 5 seconds. */
const slowDownMs = 5_000;
/** Because of jitter, a client that waits the interval may arrive this much early. */
const jitterMs = 500;
const refreshLifeMs = 90 * 24 * 3_600_000;
const userCodeAttemptsMax = 5;

export function createDeviceFlow(options: DeviceFlowOptions): DeviceFlow {
  const { store, grants, clients, clock, mint, activationUri, parentOf, waitingMax = waitingMaxDefault } = options;

  function isFull({ all, ofAccount, ofNetwork, ofSite, ofRegion, inAccount }: Waiting): boolean {
    const room = waitingMax.all - all;
    const roomOfAccount = waitingMax.ofAccount - ofAccount;
    if (room <= 0 || roomOfAccount <= 0 || ofNetwork >= waitingMax.ofNetwork || ofSite >= waitingMax.ofSite)
      return true;
    if (ofAccount >= room * shareOfAccount || ofSite >= room * shareOfSite || ofRegion >= room * shareOfRegion)
      return true;
    return inAccount.ofSite >= roomOfAccount * shareOfSite || inAccount.ofRegion >= roomOfAccount * shareOfRegion;
  }

  async function authorize(request: AuthorizeRequest): Promise<OauthResult<DeviceAuthorization>> {
    const known = await clientOf(request.clientId);
    if (!known.ok) return known;
    const { client, parent } = known.value;
    const possible = scopesOf(parent);
    const asked = words(request.scope);
    if (asked.some((scope) => !possible.includes(scope)))
      return refuse('invalid_scope', `scope must be among: ${possible.join(' ')}`);
    const now = clock.now();
    for (let attempt = 1; attempt <= userCodeAttemptsMax; attempt += 1) {
      const deviceCode = newDeviceSecret('ik_dcode_');
      const userCode = newUserCode();
      const grant: Grant = {
        deviceCodeHash: digestOf(deviceCode),
        userCode,
        clientId: client.id,
        accountId: client.accountId,
        scopes: asked.length > 0 ? asked : possible,
        state: 'pending',
        intervalMs,
        createTime: now,
        expireTime: now + grantLifeMs,
        network: request.network,
      };
      const outcome = await grants.insertGrant(grant, isFull);
      if (outcome === 'full') return tooManyWait;
      if (outcome === 'stored')
        return succeed(authorizationOf(deviceCode, userCode, client.activationUri ?? activationUri()));
    }
    throw new Error('no free user code');
  }

  async function redeem({ clientId, deviceCode }: { clientId: string; deviceCode: string }) {
    const known = await clientOf(clientId);
    if (!known.ok) return known;
    const { parent } = known.value;
    const answer = await grants.pollGrant<OauthResult<DeviceTokens>>(digestOf(deviceCode), async (grant, device) => {
      const now = clock.now();
      // Another client's code: reveal nothing about it.
      if (grant.clientId !== clientId) return { answer: unknownCode };
      if (grant.state === 'redeemed') return { answer: refuse('invalid_grant', 'this device_code was used before') };
      if (now >= grant.expireTime)
        return { answer: refuse('expired_token', 'the device_code has expired: start again') };
      if (grant.state === 'pending') return waitLonger(grant, now);
      if (grant.state === 'denied' || device?.state !== 'active')
        return { answer: refuse('access_denied', 'the device was refused') };
      const { tokens, give } = await credentialsFor(device, parent, device.scopes, now);
      return { answer: succeed(tokens), give };
    });
    return answer ?? unknownCode;
  }

  async function refresh(request: { clientId: string; refreshToken: string; scope?: string }) {
    const known = await clientOf(request.clientId);
    if (!known.ok) return known;
    const { parent } = known.value;
    const answer = await store.refreshDevice<OauthResult<DeviceTokens>>(
      digestOf(request.refreshToken),
      async ({ device, usedTime, expireTime }: Refresh) => {
        const now = clock.now();
        if (device.clientId !== request.clientId) return { answer: unknownRefresh };
        // Either the device or a thief has an outdated copy: neither may continue (RFC 9700, 4.14.2).
        if (usedTime !== undefined) return { answer: unknownRefresh, endFor: 'refresh credential used twice' };
        if (device.state !== 'active' || now >= expireTime) return { answer: unknownRefresh };
        const asked = words(request.scope);
        if (asked.some((scope) => !device.scopes.includes(scope)))
          return { answer: refuse('invalid_scope', `scope must be among: ${device.scopes.join(' ')}`) };
        const { tokens, give } = await credentialsFor(device, parent, asked.length > 0 ? asked : device.scopes, now);
        return { answer: succeed(tokens), give };
      },
    );
    return answer ?? unknownRefresh;
  }

  async function credentialsFor(
    device: Device,
    parent: ParentKey,
    scopes: readonly string[],
    now: number,
  ): Promise<{ tokens: DeviceTokens; give: NewDeviceCredentials }> {
    const refreshToken = newDeviceSecret('ik_refresh_');
    // The key may have lost some since the device was approved. The answer says what the token can do (RFC 6749, 5.1).
    const scopesLeft = scopes.filter((scope) => parent.scopes.has(scope));
    const { token, accessToken } = await mint({
      accountId: device.accountId,
      keyId: device.keyId,
      clientId: device.clientId,
      subject: device.subject,
      deviceId: device.id,
      scopes: scopesLeft,
      expireTime: Math.min(now + ttlSecondsDefault * 1000, device.expireTime, parent.expireTime ?? device.expireTime),
      ...(device.spendingCap !== undefined && { spendingCap: device.spendingCap }),
      ...(device.models && { models: device.models }),
    });
    return {
      tokens: {
        accessToken,
        expiresInSeconds: Math.max(0, Math.floor((token.expireTime - now) / 1000)),
        refreshToken,
        scopes: scopesLeft,
      },
      give: {
        refreshHash: digestOf(refreshToken),
        refreshExpireTime: Math.min(now + refreshLifeMs, device.expireTime),
        token,
        time: now,
      },
    };
  }

  /** A client application that is not disabled, and its parent key. */
  async function clientOf(clientId: string): Promise<OauthResult<{ client: ClientApplication; parent: ParentKey }>> {
    const client = clientId.length <= 40 ? await clients.find(clientId) : undefined;
    if (!client || client.disableTime !== undefined) return refuse('invalid_client', 'no such client application');
    const parent = await parentOf(client.keyId);
    if (!parent.ok && parent.failure.kind === 'overloaded') throw new Error('the key of a client cannot be read now');
    if (!parent.ok && parent.failure.kind === 'account_suspended')
      return refuse('unauthorized_client', "the client application's account is suspended");
    if (!parent.ok) return refuse('unauthorized_client', "the client application's key does not work any more");
    return succeed({ client, parent: parent.value });
  }

  return { authorize, redeem, refresh };
}

const tooManyWait = refuse(
  'temporarily_unavailable',
  'too many devices wait to be approved: approve or refuse some, or ask again in a few minutes',
);
const unknownCode = refuse('invalid_grant', 'no such device_code');
const unknownRefresh = refuse('invalid_grant', 'the refresh_token does not work');

function waitLonger(grant: Grant, now: number) {
  if (grant.polledTime !== undefined && now - grant.polledTime < grant.intervalMs - jitterMs) {
    const longer = grant.intervalMs + slowDownMs;
    const answer = refuse('slow_down', `wait ${longer / 1000} seconds between requests from now on`);
    return { answer, intervalMs: longer, polledTime: now };
  }
  return { answer: refuse('authorization_pending', 'nobody has entered the user code yet'), polledTime: now };
}

function authorizationOf(deviceCode: string, userCode: string, verificationUri: string): DeviceAuthorization {
  const printed = printUserCode(userCode);
  const complete = new URL(verificationUri);
  complete.searchParams.set('user_code', printed);
  return {
    deviceCode,
    userCode: printed,
    verificationUri,
    verificationUriComplete: complete.href,
    expiresInSeconds: grantLifeMs / 1000,
    intervalSeconds: intervalMs / 1000,
  };
}

function succeed<T>(value: T): { ok: true; value: T } {
  return { ok: true, value };
}

function refuse(error: OauthErrorCode, description: string): { ok: false; error: OauthErrorCode; description: string } {
  return { ok: false, error, description };
}

function words(text: string | undefined): string[] {
  return [...new Set((text ?? '').split(' ').filter(Boolean))];
}
