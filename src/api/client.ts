import type { MessageInitShape } from '@bufbuild/protobuf';
import { unwrap } from '../base/failure.ts';
import type { ClientSchema } from '../gen/intelligence/token/v1/client_pb.ts';
import { ClientService } from '../gen/intelligence/token/v1/client_service_pb.ts';
import type { ClientApplication, Tokens } from '../tokens/index.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import { timestamp } from './mapping.ts';
import type { Once } from './once.ts';

/** ClientService: the applications that an account ships. */
export function clientService({
  tokens: { clients },
  once,
}: {
  tokens: Pick<Tokens, 'clients'>;
  once: Once;
}): ServedService {
  return serve(ClientService, {
    createClient: (request, call) =>
      once(ClientService.method.createClient, request, call, {
        write: async (within) => {
          const { displayName, keyId, activationUri } = request;
          const asked = { accountId: accountOf(call.caller), keyId, displayName };
          const given = activationUri !== '' && { activationUri };
          return { client: clientMessage(unwrap(await clients.create({ ...asked, ...given }, within))) };
        },
      }),
    listClients: async ({ pageSize, pageToken }, { caller }) => {
      const page = unwrap(await clients.list(accountOf(caller), { pageSize, pageToken }));
      return { clients: page.items.map(clientMessage), nextPageToken: page.nextPageToken };
    },
    getClient: async ({ clientId }, { caller }) => ({
      client: clientMessage(unwrap(await clients.get(accountOf(caller), clientId))),
    }),
    disableClient: async ({ clientId }, { caller }) => ({
      client: clientMessage(unwrap(await clients.disable(accountOf(caller), clientId))),
    }),
  });
}

/** A client application as the contract says it. */
export function clientMessage(client: ClientApplication): MessageInitShape<typeof ClientSchema> {
  const created = timestamp(client.createTime);
  const disabled = timestamp(client.disableTime);
  return {
    clientId: client.id,
    displayName: client.displayName,
    keyId: client.keyId,
    activationUri: client.activationUri ?? '',
    state: client.disableTime === undefined ? 'active' : 'disabled',
    ...(created && { createTime: created }),
    ...(disabled && { disableTime: disabled }),
  };
}
