import type { ApiFailure } from '../api.ts';
import { findText, t } from '../i18n/index.ts';

/** Generic reasons: what exactly is wrong is in the service's own text. */
const general: ReadonlySet<string> = new Set([
  'INVALID_ARGUMENT',
  'PRECONDITION_FAILED',
  'PAYLOAD_TOO_LARGE',
  'GUARDRAIL',
  'PROVIDER_KEY_REFUSED',
]);

export interface FailureWords {
  /** In the page's language. */
  title: string;
  /** The service's message, in English, if the title does not say it all. */
  told?: string;
}

/** A refusal in words, by its reason. */
export function failureWords({ reason, message }: ApiFailure): FailureWords {
  const title = findText('common', `error-${reason}`);
  if (title === undefined) return { title: t('common.errorOther'), told: message };
  return general.has(reason) ? { title, told: message } : { title };
}

/** A refusal as a single text. */
export function failureText(failure: ApiFailure): string {
  const { title, told } = failureWords(failure);
  return told === undefined ? title : `${title} ${told}`;
}
