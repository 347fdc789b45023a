import { useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { type ApiFailure, callRpc, isApiFailure, type RpcName, type RpcReply, type RpcRequest } from '../api.ts';
import { sessionKey } from '../query.ts';

export interface Write<Name extends RpcName> {
  /** Resolves to the reply, or to undefined when it was refused; `failure` then says why. */
  send: (request: RpcRequest<Name>) => Promise<RpcReply<Name> | undefined>;
  busy: boolean;
  failure: ApiFailure | undefined;
}

/**
 * An operator's write. Its reply is not cached, because it may contain a secret. The same request keeps its `Idempotency-Key` until it succeeds,
 * so pressing again after a lost answer writes only once. All loaded reads are then refetched.
 */
export function useWrite<Name extends RpcName>(name: Name): Write<Name> {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const last = useRef<{ request: string; key: string } | undefined>(undefined);

  async function send(request: RpcRequest<Name>): Promise<RpcReply<Name> | undefined> {
    const text = JSON.stringify(request);
    if (last.current?.request !== text) last.current = { request: text, key: crypto.randomUUID() };
    setBusy(true);
    setFailure(undefined);
    try {
      const reply = await callRpc(name, request, { headers: { 'idempotency-key': last.current.key } });
      last.current = undefined;
      void client.invalidateQueries({ predicate: ({ queryKey: [read] }) => read !== sessionKey[0] });
      return reply;
    } catch (error) {
      if (!isApiFailure(error)) throw error;
      // The session ended: show the sign-in, as for reads.
      if (error.status === 401) client.setQueryData(sessionKey, null);
      setFailure(error);
      return undefined;
    } finally {
      setBusy(false);
    }
  }

  return { send, busy, failure };
}
