import { newId } from '../base/ids.ts';

// Request ids are logged, so what looks like one of our credentials, sent here by mistake, is not taken as one.
const givenRequestId = /^(?!ik_|eyJ)[\w.:-]{1,128}$/;

/** The caller's own request id when it is one that is safe to print, else a new one. */
export function requestIdOf(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && givenRequestId.test(given) ? given : newId('req');
}
