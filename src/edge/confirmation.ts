import { type DescMethod, isMessage, type Message } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import { AccountService } from '../gen/intelligence/account/v1/account_service_pb.ts';
import { CreateKeyRequestSchema, KeyService } from '../gen/intelligence/key/v1/key_service_pb.ts';

/** For so long after its key was shown, a session may do everything that the key may. */
const confirmedMs = 10 * 60_000;

/** What a browser that was left open must not do: write money, or make another key to the whole account. */
const guarded = new Map<DescMethod, (request: Message) => boolean>([
  [AccountService.method.creditAccount, () => true],
  [AccountService.method.adjustAccount, () => true],
  [
    KeyService.method.createKey,
    (request) => isMessage(request, CreateKeyRequestSchema) && request.kind === 'management',
  ],
  // The request does not say of which kind its key is, and either gives a secret to whoever sits there.
  [KeyService.method.rotateKey, () => true],
]);

/** Whether a session's holder has shown its credential recently enough for this call. Others than sessions show it with each call. */
export function checkConfirmed({ session }: Caller, method: DescMethod, request: Message, now: number): Result<void> {
  return session && guarded.get(method)?.(request) ? checkConfirmedLately(session, now) : confirmed;
}

/** Whether a session's holder has shown its credential within ten minutes. */
export function checkConfirmedLately({ confirmTime }: { readonly confirmTime: number }, now: number): Result<void> {
  return now - confirmTime <= confirmedMs ? confirmed : fail({ kind: 'confirmation_required' });
}

const confirmed = succeed(undefined);
