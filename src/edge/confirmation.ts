import { type DescMethod, isMessage, type Message } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { AccountService } from '../gen/intelligence/account/v1/account_service_pb.ts';
import { CreateKeyRequestSchema, KeyService } from '../gen/intelligence/key/v1/key_service_pb.ts';

/** How long after presenting its key a session may do everything that the key may. */
const confirmedMs = 10 * 60_000;

/** What must not be possible from an unattended browser: creating money, or another key to the whole account. */
const guarded = new Map<DescMethod, (request: Message) => boolean>([
  [AccountService.method.creditAccount, () => true],
  [AccountService.method.adjustAccount, () => true],
  [
    KeyService.method.createKey,
    (request) => isMessage(request, CreateKeyRequestSchema) && request.kind === 'management',
  ],
  // The request does not name the kind of its key, and either kind would give a secret to whoever is at the browser.
  [KeyService.method.rotateKey, () => true],
]);

/** Whether a session's holder has presented its credential recently enough for this call. Other callers present theirs with every call. */
export function checkConfirmed({ session }: Caller, method: DescMethod, request: Message, now: number): Result<void> {
  return session && guarded.get(method)?.(request) ? checkConfirmedLately(session, now) : confirmed;
}

/** Whether a session's holder has presented its credential within the last ten minutes. */
export function checkConfirmedLately({ confirmTime }: { readonly confirmTime: number }, now: number): Result<void> {
  return now - confirmTime <= confirmedMs ? confirmed : fail({ kind: 'confirmation_required' });
}

const confirmed = succeed(undefined);
