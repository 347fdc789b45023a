import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { FailureError } from '../../base/failure.ts';
import { addressOf } from '../../limits/index.ts';
import { type OauthErrorCode, type OauthResult, tokenScopes } from '../../tokens/index.ts';
import { registerActivatePage } from './activate.ts';
import { acceptForms, type Form } from './form.ts';
import type { OauthOptions } from './options.ts';

const deviceCodeGrant = 'urn:ietf:params:oauth:grant-type:device_code';
/** The next signing key is published an hour before it is used. */
const jwksMaxAgeSeconds = 600;

/**
 * What stock OAuth clients use: device authorization (RFC 8628), tokens (RFC 6749), revocation (RFC 7009), the signing keys (RFC
 * 7517) and the server metadata (RFC 8414). Bodies are forms, clients are public, and nothing here is charged.
 */
export function registerOauth(app: FastifyInstance, options: OauthOptions): void {
  app.register(async (oauth) => {
    acceptForms(oauth);
    registerMetadata(oauth, options);
    oauth.setErrorHandler((error, request, reply) => answerFault(error, request, reply, options.log));
    registerEndpoints(oauth, options);
  });
  registerActivatePage(app, options);
}

function registerMetadata(app: FastifyInstance, { tokens, issuer }: OauthOptions): void {
  app.get('/.well-known/jwks.json', async (_request, reply) => {
    shareWithAll(reply);
    return reply.type('application/jwk-set+json').send(JSON.stringify(await tokens.jwks()));
  });
  app.get('/.well-known/oauth-authorization-server', async (_request, reply) => {
    shareWithAll(reply);
    return reply.send({
      issuer: issuer(),
      jwks_uri: `${issuer()}/.well-known/jwks.json`,
      device_authorization_endpoint: `${issuer()}/oauth/device_authorization`,
      token_endpoint: `${issuer()}/oauth/token`,
      revocation_endpoint: `${issuer()}/oauth/revoke`,
      scopes_supported: tokenScopes,
      response_types_supported: [],
      grant_types_supported: [deviceCodeGrant, 'refresh_token'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      service_documentation: `${issuer()}/docs`,
    });
  });
}

function registerEndpoints(app: FastifyInstance, { tokens: { deviceFlow, revokeForClient } }: OauthOptions): void {
  post('/oauth/device_authorization', async (form, peer) => {
    const clientId = form.get('client_id');
    if (clientId === undefined) return missing('client_id');
    return mapped(await deviceFlow.authorize({ clientId, ...scopeOf(form), network: addressOf(peer) }), (value) => ({
      device_code: value.deviceCode,
      user_code: value.userCode,
      verification_uri: value.verificationUri,
      verification_uri_complete: value.verificationUriComplete,
      expires_in: value.expiresInSeconds,
      interval: value.intervalSeconds,
    }));
  });

  post('/oauth/token', async (form) => {
    const answer = await grant(form);
    return mapped(answer, (value) => ({
      access_token: value.accessToken,
      token_type: 'Bearer',
      expires_in: value.expiresInSeconds,
      refresh_token: value.refreshToken,
      scope: value.scopes.join(' '),
    }));
  });

  post('/oauth/revoke', async (form) => {
    const clientId = form.get('client_id');
    const token = form.get('token');
    if (clientId === undefined) return missing('client_id');
    if (token === undefined) return missing('token');
    await revokeForClient({ clientId, token });
    // The answer is the same for a token that never existed: RFC 7009, 2.2.
    return { ok: true, value: {} };
  });

  async function grant(form: Form) {
    const clientId = form.get('client_id');
    const type = form.get('grant_type');
    if (type === undefined) return missing('grant_type');
    if (clientId === undefined) return missing('client_id');
    if (type === deviceCodeGrant) {
      const deviceCode = form.get('device_code');
      return deviceCode === undefined ? missing('device_code') : deviceFlow.redeem({ clientId, deviceCode });
    }
    if (type === 'refresh_token') {
      const refreshToken = form.get('refresh_token');
      if (refreshToken === undefined) return missing('refresh_token');
      return deviceFlow.refresh({ clientId, refreshToken, ...scopeOf(form) });
    }
    return refuse('unsupported_grant_type', `grant_type must be ${deviceCodeGrant} or refresh_token`);
  }

  function post(path: string, handle: (form: Form, peer: string) => Promise<OauthResult<object>>): void {
    app.post(path, async (request, reply) => {
      // RFC 6749, 5.1: responses with credentials must not be stored on the way.
      reply.header('cache-control', 'no-store').header('pragma', 'no-cache');
      const form = request.body as Form | undefined;
      const answer = form
        ? await handle(form, request.ip)
        : refuse('invalid_request', 'the body must be a form in which no field is there twice');
      return answer.ok ? reply.send(answer.value) : answerError(reply, answer.error, answer.description);
    });
  }
}

function answerError(reply: FastifyReply, error: OauthErrorCode, description: string): FastifyReply {
  if (error === 'temporarily_unavailable') reply.header('retry-after', '60');
  // RFC 6749, 5.2: 400, but 401 for an unknown client.
  const status = error === 'temporarily_unavailable' ? 429 : error === 'invalid_client' ? 401 : 400;
  return reply.code(status).send({ error, error_description: description });
}

/** RFC 8628, 3.5, for polling; clients of the other endpoints read the status. */
function slowDown(reply: FastifyReply, retryAfterMs: number): FastifyReply {
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1000));
  return reply
    .code(429)
    .header('retry-after', String(seconds))
    .send({ error: 'slow_down', error_description: `too many requests: wait ${seconds} seconds` });
}

function answerFault(error: unknown, request: FastifyRequest, reply: FastifyReply, log: Logger): FastifyReply {
  if (error instanceof FailureError && error.failure.kind === 'rate_limited')
    return slowDown(reply, error.failure.retryAfterMs);
  const status = (error as { statusCode?: number }).statusCode ?? 500;
  if (status < 500) return answerError(reply, 'invalid_request', 'the body must be a form of at most 16 KiB');
  log.error({ err: error, url: request.routeOptions.url }, 'OAuth request failed by a fault of the service');
  return reply
    .code(503)
    .header('retry-after', '1')
    .send({ error: 'temporarily_unavailable', error_description: 'ask again in a moment' });
}

function shareWithAll(reply: FastifyReply): void {
  reply.header('cache-control', `public, max-age=${jwksMaxAgeSeconds}`).header('access-control-allow-origin', '*');
}

function mapped<T>(result: OauthResult<T>, map: (value: T) => object): OauthResult<object> {
  return result.ok ? { ok: true, value: map(result.value) } : result;
}

function scopeOf(form: Form): { scope?: string } {
  const scope = form.get('scope');
  return scope === undefined ? {} : { scope };
}

function missing(field: string) {
  return refuse('invalid_request', `the field ${field} is missing`);
}

function refuse(error: OauthErrorCode, description: string): { ok: false; error: OauthErrorCode; description: string } {
  return { ok: false, error, description };
}
