import { useQueryClient } from '@tanstack/preact-query';
import { useEffect } from 'preact/hooks';
import type { DeliveryJson } from '../../../gen/intelligence/webhook/v1/webhook_pb';
import { isSomebodyHere } from '../../presence.ts';

const askAgainMs = 2_000;

/** Whether it will be posted within a minute, or is being posted now. */
export function isSoon({ nextAttemptTime }: DeliveryJson): boolean {
  return nextAttemptTime !== undefined && Date.parse(nextAttemptTime) < Date.now() + 61_000;
}

/** Polls deliveries while something is about to happen and somebody is there to see it. */
export function useAskAgain(isOn: boolean): void {
  const client = useQueryClient();
  useEffect(() => {
    if (!isOn) return;
    const timer = setInterval(() => {
      if (!isSomebodyHere()) return;
      const reads = ['WebhookService.ListDeliveries', 'WebhookService.GetDelivery', 'WebhookService.ListEndpoints'];
      void client.invalidateQueries({ predicate: ({ queryKey: [name] }) => reads.includes(String(name)) });
    }, askAgainMs);
    return () => clearInterval(timer);
  }, [isOn]);
}
