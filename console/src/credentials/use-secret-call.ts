import { useQueryClient } from '@tanstack/preact-query';
import { useRef, useState } from 'preact/hooks';
import { type ApiFailure, callRpc, isApiFailure, type RpcReply, type RpcRequest } from '../api.ts';
import { confirmed } from '../query.ts';

/** The methods whose request or reply has a secret. */
type SecretName = 'KeyService.CreateKey' | 'KeyService.RotateKey' | 'ProviderKeyService.CreateProviderKey';

export interface SecretCall<Name extends SecretName> {
  /** Sends it; undefined where it failed, which `failure` then says. */
  run: (request: RpcRequest<Name>) => Promise<RpcReply<Name> | undefined>;
  busy: boolean;
  failure: ApiFailure | undefined;
}

/**
 * A write with a secret. Unlike other writes it goes through no cache, so that the secret is only where the caller puts it. Sent again after
 * an answer was lost, it answers with the same secret.
 */
export function useSecretCall<Name extends SecretName>(name: Name): SecretCall<Name> {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const write = useRef<{ request: string; key: string } | undefined>(undefined);
  const run = async (request: RpcRequest<Name>) => {
    const text = JSON.stringify(request);
    if (write.current?.request !== text) write.current = { request: text, key: crypto.randomUUID() };
    setBusy(true);
    setFailure(undefined);
    try {
      const headers = { 'idempotency-key': write.current.key };
      const reply = await confirmed(() => callRpc(name, request, { headers }));
      write.current = undefined;
      return reply;
    } catch (error) {
      if (!isApiFailure(error)) throw error;
      setFailure(error);
      return undefined;
    } finally {
      setBusy(false);
      const service = name.slice(0, name.indexOf('.') + 1);
      void client.invalidateQueries({ predicate: ({ queryKey: [read] }) => String(read).startsWith(service) });
    }
  };
  return { run, busy, failure };
}
