import {
  QueryClient,
  type UseMutationResult,
  type UseQueryResult,
  useMutation,
  useQuery,
  useQueryClient,
} from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { rpcs } from '../gen/api.ts';
import { type ApiFailure, callRpc, isApiFailure, type RpcName, type RpcReply, type RpcRequest } from './api.ts';

import { askToConfirm } from './ui/confirm.tsx';
import { createWriteKey } from './write-key.ts';

export const sessionKey = ['session'] as const;

/** One cache for the page. A refusal is shown at once; what shows it asks again (ui/async.tsx). */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 30_000, gcTime: 5 * 60_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
  const signOutAt401 = (error: unknown): void => {
    // The session ended: the page is the sign-in, on the same URL, and comes back to what it was.
    if (isApiFailure(error) && error.status === 401) client.setQueryData(sessionKey, null);
  };
  client.getQueryCache().config.onError = signOutAt401;
  client.getMutationCache().config.onError = signOutAt401;
  return client;
}

export interface RpcOptions {
  /** Not asked until it is true; true when unset. */
  enabled?: boolean;
  /** Asks again after so many milliseconds; never when unset or false. */
  refetchInterval?: number | false;
  /** How long a reply is taken as new, in milliseconds; 30 seconds when unset. */
  staleTime?: number;
}

/** A read, kept in the page's cache by its method and request. */
export function useRpc<Name extends RpcName>(
  name: Name,
  request: RpcRequest<Name>,
  options: RpcOptions = {},
): UseQueryResult<RpcReply<Name>, ApiFailure> {
  return useQuery<RpcReply<Name>, ApiFailure>({
    queryKey: [name, request],
    queryFn: ({ signal }) => callRpc(name, request, { signal }),
    ...options,
  });
}

export interface RpcMutationOptions<Name extends RpcName> {
  /** Reads to ask again after it, by method; all reads of the same service when unset. */
  refresh?: readonly RpcName[];
  onSuccess?: (reply: RpcReply<Name>) => void;
}

/**
 * A write. Where the service wants the key again, the page asks for it and goes on. A write whose repetition would be another write is sent with an `Idempotency-Key`, which is the same for the same request until it succeeds:
 * a person who presses again after an answer was lost writes once.
 */
export function useRpcMutation<Name extends RpcName>(
  name: Name,
  { refresh, onSuccess }: RpcMutationOptions<Name> = {},
): UseMutationResult<RpcReply<Name>, ApiFailure, RpcRequest<Name>> {
  const client = useQueryClient();
  const [writeKey] = useState(createWriteKey);
  return useMutation<RpcReply<Name>, ApiFailure, RpcRequest<Name>>({
    mutationFn: async (request) => {
      if (rpcs[name].idempotent) return await confirmed(() => callRpc(name, request));
      const headers = { 'idempotency-key': writeKey.of(JSON.stringify(request)) };
      const reply = await confirmed(() => callRpc(name, request, { headers }));
      writeKey.done();
      return reply;
    },
    onSuccess: (reply) => {
      const service = name.slice(0, name.indexOf('.') + 1);
      void client.invalidateQueries({
        predicate: ({ queryKey: [read] }) =>
          refresh ? refresh.includes(read as RpcName) : String(read).startsWith(service),
      });
      onSuccess?.(reply);
    },
  });
}

/** What needs the key again asks for it, and goes on. */
export async function confirmed<Reply>(call: () => Promise<Reply>): Promise<Reply> {
  try {
    return await call();
  } catch (thrown) {
    if (!isApiFailure(thrown) || thrown.reason !== 'CONFIRMATION_REQUIRED' || !(await askToConfirm())) throw thrown;
    return await call();
  }
}
