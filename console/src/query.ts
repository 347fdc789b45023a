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

/** One cache for the page. A refusal is shown at once; retrying is up to what shows it (ui/async.tsx). */
export function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: { retry: false, staleTime: 30_000, gcTime: 5 * 60_000, refetchOnWindowFocus: true },
      mutations: { retry: false },
    },
  });
  const signOutAt401 = (error: unknown): void => {
    // The session ended: show the sign-in at the same URL, and return to the page afterwards.
    if (isApiFailure(error) && error.status === 401) client.setQueryData(sessionKey, null);
  };
  client.getQueryCache().config.onError = signOutAt401;
  client.getMutationCache().config.onError = signOutAt401;
  return client;
}

export interface RpcOptions {
  /** Not requested until true; true when unset. */
  enabled?: boolean;
  /** Requests again after this many milliseconds; never when unset or false. */
  refetchInterval?: number | false;
  /** How long a reply counts as fresh, in milliseconds; 30 seconds when unset. */
  staleTime?: number;
}

/** A read, cached in the page by its method and request. */
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
  /** Reads to refetch afterwards, by method; all reads of the same service when unset. */
  refresh?: readonly RpcName[];
  onSuccess?: (reply: RpcReply<Name>) => void;
}

/**
 * A write. If the service wants the key again, the page asks for it and continues. A write that must not be repeated is sent with an
 * `Idempotency-Key`, which stays the same for the same request until it succeeds, so pressing again after a lost answer writes only once.
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

/** Makes a call; if it needs the key again, asks for it and continues. */
export async function confirmed<Reply>(call: () => Promise<Reply>): Promise<Reply> {
  try {
    return await call();
  } catch (thrown) {
    if (!isApiFailure(thrown) || thrown.reason !== 'CONFIRMATION_REQUIRED' || !(await askToConfirm())) throw thrown;
    return await call();
  }
}
