import type { MessageInitShape } from '@bufbuild/protobuf';
import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { unwrap } from '../base/failure.ts';
import { present } from '../base/present.ts';
import type { DeliverySchema, EndpointSchema } from '../gen/intelligence/webhook/v1/webhook_pb.ts';
import { WebhookService } from '../gen/intelligence/webhook/v1/webhook_service_pb.ts';
import type { Delivery, Endpoint, Webhooks } from '../webhooks/index.ts';
import { accountOf } from './caller.ts';
import { type ServedService, serve } from './handlers.ts';

/** WebhookService: where the account is told of events, and what it was told. */
export function webhookService({ webhooks }: { webhooks: Webhooks }): ServedService {
  return serve(WebhookService, {
    createEndpoint: async ({ url }, { caller }) => {
      const { endpoint, secret } = unwrap(await webhooks.addEndpoint(accountOf(caller), url));
      return { endpoint: endpointMessage(endpoint), secret };
    },
    listEndpoints: async (page, { caller }) => {
      const { items, nextPageToken } = unwrap(await webhooks.listEndpoints(accountOf(caller), page));
      return { endpoints: items.map(endpointMessage), nextPageToken };
    },
    deleteEndpoint: async ({ endpointId }, { caller }) => {
      unwrap(await webhooks.deleteEndpoint(accountOf(caller), endpointId));
      return {};
    },
    testEndpoint: async ({ endpointId }, { caller }) => ({
      delivery: deliveryMessage(unwrap(await webhooks.testEndpoint(accountOf(caller), endpointId))),
    }),
    listDeliveries: async (page, { caller }) => {
      const { items, nextPageToken } = unwrap(await webhooks.listDeliveries(accountOf(caller), page));
      return { deliveries: items.map(deliveryMessage), nextPageToken };
    },
  });
}

function endpointMessage({ createdAt, ...endpoint }: Endpoint): MessageInitShape<typeof EndpointSchema> {
  return { ...endpoint, createTime: timestampFromDate(createdAt) };
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
