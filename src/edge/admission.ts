import type { DescMethod } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { type Result, succeed } from '../base/failure.ts';
import { WalletService } from '../gen/intelligence/wallet/v1/wallet_service_pb.ts';
import type { Admission as LimitAdmission, Limits } from '../limits/index.ts';
import type { Admission } from './gate.ts';
import type { IncomingCall } from './incoming-call.ts';
import { stateHeaders } from './rate-limit-headers.ts';

/** Admits calls under the service's limits; every HTTP reply states how much of them is left. */
export function limitAdmission(limits: Limits): Admission {
  return {
    admit(caller, method, incoming) {
      // Already counted, like every request without a credential.
      if (caller.credential === 'none') return nothingToRelease;
      const answer = paying(caller, method) ? admitPaying(caller) : limits.admit(caller, kindOf(method));
      return answer instanceof Promise ? answer.then((late) => enter(late, incoming)) : enter(answer, incoming);
    },
    admitStream: (caller) => limits.admitStream(caller),
    refused: (peer) => limits.anonymous.countRefused(peer),
  };

  /** Counts against the account's limits like any other call; once they are exhausted, against its reserve. */
  function admitPaying(caller: Caller) {
    const admitted = limits.admit(caller, 'unary');
    if (admitted instanceof Promise) return admitted.then((late) => (late.ok ? late : limits.admitPayment(caller)));
    return admitted.ok ? admitted : limits.admitPayment(caller);
  }
}

/** The methods an account owner needs to see that credit is low and to top up. */
const payments: ReadonlySet<DescMethod> = new Set([
  WalletService.method.getWallet,
  WalletService.method.createTopUp,
  WalletService.method.getPaymentOptions,
  WalletService.method.getTopUp,
  WalletService.method.listTopUps,
  WalletService.method.getApplicationWallet,
  WalletService.method.createApplicationTopUp,
]);

/** Owner's keys only: a key that carries the account's traffic could exhaust the reserve. */
function paying(caller: Caller, method: DescMethod): boolean {
  return caller.credential === 'management_key' && payments.has(method);
}

const nothingToRelease = succeed<() => void>(() => {});

function kindOf(method: DescMethod): 'unary' | 'stream' {
  return method.methodKind === 'unary' ? 'unary' : 'stream';
}

function enter(answer: Result<LimitAdmission>, incoming: IncomingCall): Result<() => void> {
  if (!answer.ok) return answer;
  const admission = answer.value;
  if (!incoming.protocol.startsWith('grpc')) stateLimits(admission, incoming);
  return succeed(() => admission.release());
}

function stateLimits({ requests, tokens }: LimitAdmission, incoming: IncomingCall): void {
  if (!requests || !tokens) return;
  const headers = stateHeaders(requests, tokens);
  for (const name in headers) incoming.setReplyHeader(name, headers[name] ?? '');
}
