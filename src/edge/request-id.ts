import { newId } from '../base/ids.ts';

// Request ids are logged, so anything that looks like one of our credentials, sent here by mistake, is not accepted.
const givenRequestId = /^(?!ik_|eyJ)[\w.:-]{1,128}$/;

/** The caller's own request id if it is safe to print, otherwise a new one. */
export function requestIdOf(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && givenRequestId.test(given) ? given : newId('req');
}
