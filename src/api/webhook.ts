import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { unwrap } from '../base/failure.ts';
import { present } from '../base/present.ts';
import type { DeliverySchema, EndpointSchema } from '../gen/intelligence/webhook/v1/webhook_pb.ts';
import { WebhookService } from '../gen/intelligence/webhook/v1/webhook_service_pb.ts';
import type { Delivery, Endpoint, Webhooks } from '../webhooks/index.ts';
import type { RecordChange } from './audit.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';
import type { Once } from './once.ts';

/** WebhookService: where the account receives events, and what was delivered. */
export function webhookService({
  webhooks,
  recordChange,
  once,
}: {
  webhooks: Webhooks;
  recordChange: RecordChange;
  once: Once;
}): ServedService {
  const { method } = WebhookService;
  return serve(WebhookService, {
    createEndpoint: (request, call) =>
      once(method.createEndpoint, request, call, {
        write: async (within) => {
          const { endpoint, secret } = await recordChange(call, {
            within,
            write: async (tx) => unwrap(await webhooks.addEndpoint(accountOf(call.caller), request.url, tx)),
            deed: (added) => ({
              ...{ action: 'webhook_endpoint.create', target: added.endpoint.endpointId },
              // The rest of a URL may contain a secret.
              details: { host: new URL(request.url).host },
            }),
          });
          return { endpoint: endpointMessage(endpoint), secret };
        },
      }),
    listEndpoints: async (page, { caller }) => {
      const { items, nextPageToken } = unwrap(await webhooks.listEndpoints(accountOf(caller), page));
      return { endpoints: items.map(endpointMessage), nextPageToken };
    },
    deleteEndpoint: async ({ endpointId }, call) => {
      await recordChange(call, {
        deed: { action: 'webhook_endpoint.delete', target: endpointId },
        write: async (tx) => unwrap(await webhooks.deleteEndpoint(accountOf(call.caller), endpointId, tx)),
      });
      return {};
    },
    rotateEndpointSecret: (request, call) =>
      once(method.rotateEndpointSecret, request, call, {
        write: async (within) => {
          const { endpointId, overlapSeconds } = request;
          const asked = { accountId: accountOf(call.caller), endpointId, overlapSeconds };
          const details = { overlapSeconds: String(overlapSeconds) };
          const { endpoint, secret } = await recordChange(call, {
            within,
            deed: { action: 'webhook_endpoint.rotate_secret', target: endpointId, details },
            write: async (tx) => unwrap(await webhooks.rotateSecret(asked, tx)),
          });
          return { endpoint: endpointMessage(endpoint), secret };
        },
      }),
    testEndpoint: (request, call) =>
      once(method.testEndpoint, request, call, {
        write: async (within) => {
          const sent = await webhooks.testEndpoint(accountOf(call.caller), request.endpointId, within);
          return { delivery: deliveryMessage(unwrap(sent)) };
        },
      }),
    listDeliveries: async ({ pageSize, pageToken, endpointId, state }, { caller }) => {
      const wanted = {
        ...(endpointId !== '' && { endpointId }),
        // The contract's rules allow no other value here.
        ...(state !== '' && { state: state as Delivery['state'] }),
      };
      const asked = { pageSize, pageToken, ...wanted };
      const { items, nextPageToken } = unwrap(await webhooks.listDeliveries(accountOf(caller), asked));
      return { deliveries: items.map(deliveryMessage), nextPageToken };
    },
    getDelivery: async ({ deliveryId }, { caller }) => {
      const { delivery, payload } = unwrap(await webhooks.getDelivery(accountOf(caller), deliveryId));
      return { delivery: deliveryMessage(delivery), payload };
    },
    retryDelivery: (request, call) =>
      once(method.retryDelivery, request, call, {
        write: async (within) => {
          const due = await recordChange(call, {
            within,
            deed: { action: 'webhook_delivery.retry', target: request.deliveryId },
            write: async (tx) => unwrap(await webhooks.retryDelivery(accountOf(call.caller), request.deliveryId, tx)),
          });
          return { delivery: deliveryMessage(due) };
        },
      }),
  });
}

function endpointMessage(endpoint: Endpoint): MessageInitShape<typeof EndpointSchema> {
  const { createdAt, previousSecretExpiresAt: expiry, ...same } = endpoint;
  return present({
    ...same,
    createTime: timestampFromDate(createdAt),
    previousSecretExpireTime: expiry && timestampFromDate(expiry),
  });
}

function deliveryMessage(delivery: Delivery): MessageInitShape<typeof DeliverySchema> {
  const { createdAt, lastAttemptAt, nextAttemptAt, ...same } = delivery;
  return present({
    ...same,
    createTime: timestampFromDate(createdAt),
    lastAttemptTime: lastAttemptAt && timestampFromDate(lastAttemptAt),
    nextAttemptTime: nextAttemptAt && timestampFromDate(nextAttemptAt),
  });
}
