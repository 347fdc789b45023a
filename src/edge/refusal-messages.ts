/** The refusal messages that depend on what failed. */
import type { Failure, FieldViolation } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';

export function invalidMessage(violations: readonly FieldViolation[]): string {
  const [first] = violations;
  if (!first) return 'The request is not valid.';
  const more = violations.length > 1 ? ` (and ${violations.length - 1} more)` : '';
  return first.field === '' ? `${first.description}${more}` : `${first.field}: ${first.description}${more}`;
}

export function creditMessage(
  failure: Extract<Failure, { kind: 'insufficient_credit' }>,
  minimumTopUpUsd: string,
): string {
  if (failure.balance === 0n)
    return `API use is paused: the credit is used up. Add at least ${minimumTopUpUsd} USD and send the request again with the same key.`;
  if (failure.retryAfterMs !== undefined)
    return `The rest of the credit is held by requests in flight (${formatUsd(failure.held)} of ${formatUsd(failure.balance)} USD). Send the request again in a moment, or add credit.`;
  return `The request needs at least ${formatUsd(failure.needed)} USD and ${formatUsd(failure.balance - failure.held)} USD is available. Add at least ${minimumTopUpUsd} USD.`;
}

export function scopeMessage({ scope, credential, needed = [] }: Extract<Failure, { kind: 'scope_missing' }>): string {
  if (credential === 'none') return 'This call needs a credential.';
  const shown = credentialNames[credential] ?? 'another kind';
  if (needed.length > 0) {
    const kinds = needed.map((kind) => credentialNames[kind]).join(' or ');
    return `This call needs ${kinds}${scope === '' ? '' : ` with the scope "${scope}"`}; the credential that was sent is ${shown}.`;
  }
  return scope === ''
    ? `This call can't be made with ${shown}.`
    : `This call needs the scope "${scope}", which this credential (${shown}) does not have.`;
}

const credentialNames: Readonly<Record<string, string>> = {
  operator: 'an operator token',
  management_key: 'a management key',
  api_key: 'an API key',
  access_token: 'an access token',
};

export function attemptsText(attempts: readonly { model: string; outcome: string }[]): string {
  if (attempts.length === 0) return 'none could be called';
  return attempts.map(({ model, outcome }) => `${model}: ${outcome}`).join('; ');
}

export function upstreamMessage({
  attempts,
  upstream,
  misfit,
  retryAfterMs,
}: Extract<Failure, { kind: 'upstream_failed' }>): string {
  if (retryAfterMs !== undefined)
    return `No model could answer (${attemptsText(attempts)}): after failing, a model is not called for a while. Send it again in ${Math.ceil(retryAfterMs / 1_000)} s, or choose another model.`;
  if (upstream === undefined) return `No model could answer (${attemptsText(attempts)}).`;
  if (misfit === undefined) return `The ${upstream} could not answer. Nothing was charged. Send it again.`;
  return `The ${upstream} gave no answer that can be used: ${misfit}. Nothing was charged.`;
}

export function notFoundMessage({ resource, advice, inAccount = true }: Failure & { kind: 'not_found' }): string {
  const found = `There is no such ${resource}${inAccount ? ' in this account' : ''}.`;
  return advice === undefined ? found : `${found} ${advice}`;
}
