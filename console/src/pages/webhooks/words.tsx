import type { DeliveryJson } from '../../../gen/intelligence/webhook/v1/webhook_pb';
import { findText, t } from '../../i18n/index.ts';
import { Badge } from '../../ui/index.ts';

export function DeliveryState({ state = '' }: { state: string | undefined }) {
  const kind = state === 'delivered' ? 'good' : state === 'failed' ? 'danger' : 'plain';
  return <Badge kind={kind}>{findText('webhooks', `delivery-${state}`) ?? state}</Badge>;
}

/** The last answer in words. */
export function answerText({ attempts = 0, lastStatus, lastProblem = '' }: DeliveryJson): string {
  if (lastStatus !== undefined) return t('webhooks.answered', { status: String(lastStatus) });
  if (lastProblem !== '') return findText('webhooks', `problem-${lastProblem}`) ?? lastProblem;
  return attempts === 0 ? t('webhooks.notYet') : '–';
}
