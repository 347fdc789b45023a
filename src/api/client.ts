import type { MessageInitShape } from '@bufbuild/protobuf';
import { unwrap } from '../base/failure.ts';
import type { ClientSchema } from '../gen/intelligence/token/v1/client_pb.ts';
import { ClientService } from '../gen/intelligence/token/v1/client_service_pb.ts';
import type { ClientApplication, Tokens } from '../tokens/index.ts';
import type { RecordChange } from './audit.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import { timestamp } from './mapping.ts';
import type { Once } from './once.ts';

/** ClientService: the applications that an account ships. */
export function clientService({
  tokens: { clients },
  recordChange,
  once,
}: {
  tokens: Pick<Tokens, 'clients'>;
  recordChange: RecordChange;
  once: Once;
}): ServedService {
  return serve(ClientService, {
    createClient: (request, call) =>
      once(ClientService.method.createClient, request, call, {
        write: async (within) => {
          const { displayName, keyId, activationUri } = request;
          const asked = { accountId: accountOf(call.caller), keyId, displayName };
          const given = { ...(activationUri !== '' && { activationUri }) };
          const made = await recordChange(call, {
            within,
            write: async (tx) => unwrap(await clients.create({ ...asked, ...given }, tx)),
            deed: ({ id }) => ({ action: 'client.create', target: id, details: { displayName, keyId, ...given } }),
          });
          return { client: clientMessage(made) };
        },
      }),
    listClients: async ({ pageSize, pageToken }, { caller }) => {
      const page = unwrap(await clients.list(accountOf(caller), { pageSize, pageToken }));
      return { clients: page.items.map(clientMessage), nextPageToken: page.nextPageToken };
    },
    getClient: async ({ clientId }, { caller }) => ({
      client: clientMessage(unwrap(await clients.get(accountOf(caller), clientId))),
    }),
    disableClient: async ({ clientId }, call) => ({
      client: clientMessage(
        await recordChange(call, {
          deed: { action: 'client.disable', target: clientId },
          write: async (tx) => unwrap(await clients.disable(accountOf(call.caller), clientId, tx)),
        }),
      ),
    }),
  });
}

/** A client application as a contract message. */
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
