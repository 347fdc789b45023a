import type { ApiFailure } from '../../api.ts';
import { findText } from '../../i18n/index.ts';
import { Badge } from '../../ui/index.ts';

export function scopeText(scope: string): string {
  return findText('devices', `scope-${scope}`) ?? scope;
}

/** Whether a refusal is about the code, and not about the service. */
export function isAboutCode({ reason }: ApiFailure): boolean {
  return reason === 'NOT_FOUND' || reason === 'INVALID_ARGUMENT' || reason === 'RATE_LIMITED';
}

export function DeviceState({ state = '' }: { state: string | undefined }) {
  const kind = state === 'active' ? 'good' : state === 'revoked' ? 'danger' : 'plain';
  return <Badge kind={kind}>{findText('devices', `state-${state}`) ?? state}</Badge>;
}
