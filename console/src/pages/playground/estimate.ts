import { useEffect, useState } from 'preact/hooks';
import { callRpc, isApiFailure } from '../../api.ts';
import { sumUsd } from '../../money.ts';
import { failureText } from '../../ui/index.ts';
import type { ChatStore } from './chat-store.ts';
import { type Model, requestOf, type Said } from './conversation.ts';

export interface Estimate {
  /** The maximum cost of all columns together. */
  ceiling?: bigint;
  /** Why it cannot be sent as it is. */
  problem?: string;
}

const afterMs = 500;

/** What sending this could cost; requested after a pause in typing. Undefined: there is nothing to send. */
export function useEstimate(store: ChatStore, models: readonly Model[], said: Said | undefined): Estimate {
  const [estimate, setEstimate] = useState<Estimate>({});
  const { columns, turns, settings, keyId } = store.state;
  const asked = said && [...turns, { ...said, replies: {} }];
  const wanted = asked && JSON.stringify([keyId, columns, settings, said.text, said.pictures.length, turns.length]);
  useEffect(() => {
    setEstimate({});
    if (!asked) return;
    let stale = false;
    const timer = setTimeout(async () => {
      const found = await ceilingOf(
        store,
        columns.map((column) => [column.id, requestOf(column, asked, settings, models)]),
      );
      if (!stale) setEstimate(found);
    }, afterMs);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [store, wanted]);
  return estimate;
}

async function ceilingOf(
  store: ChatStore,
  requests: readonly (readonly [string, ReturnType<typeof requestOf>])[],
): Promise<Estimate> {
  try {
    const replies = await Promise.all(
      requests.map(async ([column, request]) =>
        callRpc('ChatService.EstimateChat', { request }, { headers: await store.payerOf(column).headers() }),
      ),
    );
    const ceiling = sumUsd(replies.map(({ ceilingUsd }) => ceilingUsd));
    return ceiling === undefined ? {} : { ceiling };
  } catch (thrown) {
    if (!isApiFailure(thrown)) throw thrown;
    const { violations } = thrown;
    return {
      problem: [failureText(thrown), ...violations.map((each) => `${each.field} ${each.description}`)].join(' '),
    };
  }
}
