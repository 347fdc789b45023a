import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { FailureError, invalid, unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import type { DeviceAuthorizationSchema, DeviceSchema } from '../gen/intelligence/token/v1/device_pb.ts';
import { TokenService } from '../gen/intelligence/token/v1/token_service_pb.ts';
import type { Device, DeviceWish, Manager, Tokens } from '../tokens/index.ts';
import type { RecordChange } from './audit.ts';
import { accountOf, keyOf } from './caller.ts';
import { clientMessage } from './client.ts';
import type { DeviceDecisions } from './device-decisions.ts';
import { type ServedService, serve } from './handlers.ts';
import { amountOf, timestamp } from './mapping.ts';
import type { Once } from './once.ts';

/** TokenService: short-lived access tokens, and the devices of an account. */
export function tokenService({
  tokens,
  deviceDecisions,
  recordChange,
  once,
}: {
  tokens: Tokens;
  deviceDecisions: DeviceDecisions;
  recordChange: RecordChange;
  once: Once;
}): ServedService {
  const { devices } = tokens;
  const { method } = TokenService;
  return serve(TokenService, {
    createToken: (request, call) =>
      once(method.createToken, request, call, {
        write: async (within) => {
          const { subject, ttlSeconds } = request;
          const sessionId = call.caller.session?.id;
          const given = {
            ...(ttlSeconds !== undefined && { ttlSeconds }),
            ...(sessionId !== undefined && { sessionId }),
            ...allowances(request),
          };
          const issued = await tokens.issue({ ...payingKey(call.caller, request.keyId), subject, ...given }, within);
          const { accessToken, tokenId, scopes, expireTime } = unwrap(issued);
          return { accessToken, tokenId, scopes: [...scopes], ...time('expireTime', expireTime) };
        },
      }),
    revokeToken: async ({ tokenId }, call) => {
      await recordChange(call, {
        deed: { action: 'token.revoke', target: tokenId },
        write: async (tx) => unwrap(await tokens.revoke(manager(call.caller), tokenId, tx)),
      });
      return {};
    },
    getDeviceAuthorization: async ({ userCode }, { caller }) => ({
      deviceAuthorization: authorizationMessage(unwrap(await devices.read({ ...manager(caller), userCode }))),
    }),
    approveDevice: (request, call) =>
      once(method.approveDevice, request, call, {
        write: async (within) => {
          const { userCode, subject, displayName } = request;
          const given = { ...(displayName !== '' && { displayName }), ...allowances(request) };
          const approval = { ...approver(call.caller), userCode, subject, ...given };
          return { device: deviceMessage(await deviceDecisions.approve(call, approval, within)) };
        },
      }),
    denyDevice: (request, call) =>
      once(method.denyDevice, request, call, {
        write: async (within) => {
          const denial = { ...approver(call.caller), userCode: request.userCode };
          await deviceDecisions.deny(call, denial, within);
          return {};
        },
      }),
    listDevices: async ({ pageSize, pageToken, subject }, { caller }) => {
      const request = { pageSize, pageToken, ...(subject !== undefined && { subject }) };
      const page = unwrap(await devices.list(manager(caller), request));
      return { devices: page.items.map(deviceMessage), nextPageToken: page.nextPageToken };
    },
    getDevice: async ({ deviceId }, { caller }) => ({
      device: deviceMessage(unwrap(await devices.get(manager(caller), deviceId))),
    }),
    revokeDevice: async ({ deviceId }, call) => ({
      device: deviceMessage(
        await recordChange(call, {
          deed: { action: 'device.revoke', target: deviceId },
          write: async (tx) => unwrap(await devices.revoke(manager(call.caller), deviceId, tx)),
        }),
      ),
    }),
  });
}

/** The key that a token descends from: the calling key, or the one named by a management key. */
function payingKey(caller: Caller, named: string | undefined): { keyId: string; accountId?: string } {
  const { id } = keyOf(caller);
  if (caller.credential === 'management_key') {
    if (named === undefined) throw new FailureError(invalid('keyId', 'must name the API key that pays for the token'));
    return { keyId: named, accountId: accountOf(caller) };
  }
  if (named !== undefined && named !== id)
    throw new FailureError(invalid('keyId', 'must be the API key that asks, or be left out'));
  return { keyId: id };
}

/** What a token or a device is allowed; the room decides what a request omits. */
function allowances(request: {
  scopes: readonly string[];
  models: readonly string[];
  spendingCapUsd?: string | undefined;
}) {
  const { scopes, models, spendingCapUsd } = request;
  return {
    ...(scopes.length > 0 && { scopes }),
    ...(models.length > 0 && { models }),
    ...(spendingCapUsd !== undefined && { spendingCap: amountOf(spendingCapUsd, 'spendingCapUsd') }),
  };
}

/** An API key manages its own client applications' devices and its own tokens, a management key all of the account's. */
function manager(caller: Caller): Manager {
  return {
    accountId: accountOf(caller),
    ...(caller.credential === 'api_key' && { onlyKeyId: keyOf(caller).id }),
  };
}

function approver(caller: Caller) {
  return { ...manager(caller), approvedBy: keyOf(caller).id };
}

function authorizationMessage(wish: DeviceWish): MessageInitShape<typeof DeviceAuthorizationSchema> {
  const { userCode, client, scopes, state, network = '', deviceId = '' } = wish;
  return {
    ...{ userCode, client: clientMessage(client), scopes: [...scopes], state, network, deviceId },
    ...time('createTime', wish.createTime),
    ...time('expireTime', wish.expireTime),
  };
}

function deviceMessage(device: Device): MessageInitShape<typeof DeviceSchema> {
  return {
    deviceId: device.id,
    clientId: device.clientId,
    keyId: device.keyId,
    subject: device.subject,
    displayName: device.displayName,
    scopes: [...device.scopes],
    models: [...(device.models ?? [])],
    state: device.state,
    approvedBy: device.approvedBy,
    ...(device.spendingCap !== undefined && { spendingCapUsd: formatUsd(device.spendingCap) }),
    ...time('createTime', device.createTime),
    ...time('lastUsedTime', device.lastUsedTime),
    ...time('expireTime', device.expireTime),
    ...time('revokeTime', device.revokeTime),
    ...(device.revokeReason !== undefined && { revokeReason: device.revokeReason }),
  };
}

function time<Name extends string>(name: Name, ms: number | undefined) {
  const message = timestamp(ms);
  return (message ? { [name]: message } : {}) as { [Key in Name]?: NonNullable<typeof message> };
}
