import { createHash } from 'node:crypto';
import helmet from '@fastify/helmet';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Failure, FailureError, type Result, resultOf, succeed } from '../../base/failure.ts';
import { parseUsd } from '../../base/money.ts';
import type { VerifiedKey } from '../../keys/index.ts';
import { keyCaller } from '../authenticate.ts';
import { requestIdOf } from '../request-id.ts';
import { acceptForms, type Form } from './form.ts';
import type { OauthOptions } from './options.ts';
import { activatePage, type PageFields, resultPage, style } from './pages.ts';

/**
 * `/activate`: a page without JavaScript on which an account's owner approves a device. An owner with a backend uses `POST
 * /v1/devices:approve` instead. Cookies have no effect here: the form carries the owner's key, so no other site can make a
 * visitor approve anything. Users signed in to the console are shown the way there.
 */
export function registerActivatePage(app: FastifyInstance, options: OauthOptions): void {
  const { deviceDecisions, keys, limits, log } = options;

  app.register(async (pages) => {
    acceptForms(pages);
    await pages.register(helmet, {
      contentSecurityPolicy: {
        useDefaults: false,
        directives: {
          defaultSrc: ["'none'"],
          styleSrc: [`'sha256-${createHash('sha256').update(style).digest('base64')}'`],
          formAction: ["'self'"],
          frameAncestors: ["'none'"],
          baseUri: ["'none'"],
        },
      },
      referrerPolicy: { policy: 'no-referrer' },
      // Set for the whole service if it uses TLS.
      strictTransportSecurity: false,
    });
    pages.setErrorHandler((error, _request, reply) => {
      if (error instanceof FailureError && error.failure.kind === 'rate_limited')
        return show(reply, 429, resultPage('Too many requests', problemText(error.failure)));
      const status = (error as { statusCode?: number }).statusCode ?? 500;
      if (status >= 500) log.error({ err: error }, 'the activation page failed');
      return show(reply, status, resultPage('Something went wrong', 'Go back and try again in a moment.'));
    });

    pages.get('/activate', async (request, reply) => {
      const { user_code: userCode } = request.query as { user_code?: unknown };
      const code = typeof userCode === 'string' ? userCode.slice(0, 64) : '';
      return show(reply, 200, activatePage({ userCode: code, console: options.console }));
    });
    // Shorter to type, and the path that people try.
    pages.get('/device', async (request, reply) => {
      const query = request.originalUrl.slice('/device'.length);
      return reply.redirect(`/activate${query}`);
    });

    pages.post('/activate', async (request, reply) => {
      const form = request.body as Form | undefined;
      if (!form) return show(reply, 400, resultPage('The form is not complete', 'Go back and fill it in again.'));
      const fields = { ...fieldsOf(form), console: options.console };
      const decided = await resultOf(() => decide(form, request));
      if (!decided.ok)
        return show(
          reply,
          decided.failure.kind === 'rate_limited' ? 429 : 400,
          activatePage(fields, problemText(decided.failure)),
        );
      return show(reply, 200, resultPage(decided.value.title, 'You can close this page and continue on the device.'));
    });
  });

  async function decide(form: Form, request: FastifyRequest): Promise<Result<{ title: string }>> {
    const address = request.ip;
    const mayTry = limits.anonymous.mayTry(address);
    if (!mayTry.ok) return mayTry;
    const key = await keys.verify(form.get('key')?.trim() ?? '');
    if (!key.ok) {
      const counted = limits.anonymous.countRefused(address);
      return counted.ok ? key : counted;
    }
    const approver = approverOf(key.value);
    if (!approver.ok) return approver;
    const requestId = requestIdOf(request.headers['x-request-id']);
    const by = { caller: keyCaller(key.value), requestId, peer: address };
    const userCode = form.get('user_code') ?? '';
    if (form.get('decision') !== 'approve') {
      await deviceDecisions.deny(by, { ...approver.value, userCode });
      return succeed({ title: 'The device was refused' });
    }
    const cap = form.get('spending_cap_usd');
    const spendingCap = cap === undefined ? undefined : parseUsd(cap.trim());
    if (cap !== undefined && spendingCap === undefined) return { ok: false, failure: invalidCap };
    const displayName = form.get('display_name');
    await deviceDecisions.approve(by, {
      ...approver.value,
      userCode,
      subject: form.get('subject') ?? '',
      ...(displayName !== undefined && { displayName }),
      ...(spendingCap !== undefined && { spendingCap }),
    });
    return succeed({ title: 'The device is activated' });
  }
}

const invalidCap: Failure = {
  kind: 'invalid_argument',
  violations: [{ field: 'spending cap', description: 'must be an amount of USD such as 5.00' }],
};

/** The same rule as for `POST /v1/devices:approve`: a management key, or an API key with the `devices` scope. */
function approverOf(key: VerifiedKey) {
  const { accountId, keyId } = key;
  if (key.kind === 'management') return succeed({ accountId, approvedBy: keyId });
  if (key.scopes.has('devices')) return succeed({ accountId, approvedBy: keyId, onlyKeyId: keyId });
  return { ok: false as const, failure: { kind: 'scope_missing' as const, scope: 'devices', credential: 'api_key' } };
}

function problemText(failure: Failure): string {
  switch (failure.kind) {
    case 'invalid_argument':
      return failure.violations.map(({ field, description }) => `${field}: ${description}`).join('. ');
    case 'not_found':
      return 'No device of this account is waiting with this code. Codes are valid for 15 minutes.';
    case 'rate_limited':
      return `Too many attempts. Try again in ${Math.max(1, Math.ceil(failure.retryAfterMs / 1000))} seconds.`;
    case 'scope_missing':
      return 'This key may not approve devices.';
    case 'account_suspended':
      return 'The account of this key is suspended.';
    case 'precondition_failed':
      return failure.description;
    case 'overloaded':
      return 'The service is busy. Try again in a moment.';
    default:
      return 'This key is not valid here.';
  }
}

/** What the form shows again after a problem; never the key. */
function fieldsOf(form: Form): PageFields {
  return {
    userCode: form.get('user_code') ?? '',
    subject: form.get('subject') ?? '',
    displayName: form.get('display_name') ?? '',
    spendingCap: form.get('spending_cap_usd') ?? '',
  };
}

function show(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply.code(status).header('cache-control', 'no-store').type('text/html; charset=utf-8').send(page);
}
