import { useQueryClient } from '@tanstack/preact-query';
import { useCallback, useRef, useState } from 'preact/hooks';
import { type ApiFailure, callRpc, isApiFailure, type RpcReply, type RpcRequest } from '../api.ts';
import { confirmed, sessionKey } from '../query.ts';
import { createWriteKey } from '../write-key.ts';

/** The methods whose request or reply contains a secret. */
type SecretName =
  | 'KeyService.CreateKey'
  | 'KeyService.RotateKey'
  | 'ProviderKeyService.CreateProviderKey'
  | 'WebhookService.CreateEndpoint'
  | 'WebhookService.RotateEndpointSecret';

export interface SecretCall<Name extends SecretName> {
  /** Sends it; resolves to undefined if it failed, with the reason in `failure`. */
  run: (request: RpcRequest<Name>) => Promise<RpcReply<Name> | undefined>;
  busy: boolean;
  failure: ApiFailure | undefined;
  /** Forgets the failure, even a future one: what is shown next is about something else. */
  reset: () => void;
}

/**
 * A write with a secret. Unlike other writes it bypasses the cache, so that the secret is only where the caller puts it. When it is sent again
 * after a lost answer, it answers with the same secret.
 */
export function useSecretCall<Name extends SecretName>(name: Name): SecretCall<Name> {
  const client = useQueryClient();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<ApiFailure>();
  const [writeKey] = useState(createWriteKey);
  const shown = useRef(0);
  const run = async (request: RpcRequest<Name>) => {
    const at = shown.current;
    setBusy(true);
    setFailure(undefined);
    try {
      const headers = { 'idempotency-key': writeKey.of(JSON.stringify(request)) };
      const reply = await confirmed(() => callRpc(name, request, { headers }));
      writeKey.done();
      return reply;
    } catch (error) {
      if (!isApiFailure(error)) throw error;
      // The session ended: show the sign-in, as for reads.
      if (error.status === 401) client.setQueryData(sessionKey, null);
      if (at === shown.current) setFailure(error);
      return undefined;
    } finally {
      setBusy(false);
      const service = name.slice(0, name.indexOf('.') + 1);
      void client.invalidateQueries({ predicate: ({ queryKey: [read] }) => String(read).startsWith(service) });
    }
  };
  const reset = useCallback(() => {
    shown.current += 1;
    setFailure(undefined);
  }, []);
  return { run, busy, failure, reset };
}
