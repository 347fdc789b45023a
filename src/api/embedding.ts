import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { FailureError, invalid, unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import type { OwnKeyUse } from '../base/own-key.ts';
import { unitsOfATurn } from '../base/slices.ts';
import { createPace } from '../base/turn.ts';
import type { PricedEmbeddingModel } from '../catalog/index.ts';
import { bytesOf, type Embeddings, type EmbedReply, type EmbedRequest } from '../embeddings/index.ts';
import type { EmbeddingModelSchema, EmbeddingSchema } from '../gen/intelligence/embedding/v1/embedding_pb.ts';
import {
  EmbeddingService,
  type EmbedRequest as EmbedRequestMessage,
  type EmbedResponseSchema,
} from '../gen/intelligence/embedding/v1/embedding_service_pb.ts';
import { setChargeHeaders, shownBalance } from './balance.ts';
import { type ServedService, serve } from './handlers.ts';
import { requestIdentity } from './idempotency.ts';

/** More numbers would take too long to print as JSON; gRPC prints none. */
const floatsMax = 524_288;
/** Connect prints or encodes a whole reply in one turn of the event loop: these numbers take some 30 ms. */
const floatsAtOnceMax = 131_072;
/** How long a reply of up to 62 MB takes at 4 Mbit/s. */
const takenWithinMs = 120_000;

/** EmbeddingService: texts as vectors, charged. */
export function embeddingService({
  embeddings,
  fingerprintKey,
}: {
  embeddings: Embeddings;
  fingerprintKey: Uint8Array;
}): ServedService {
  return serve(EmbeddingService, {
    embed: async (message, call) => {
      const request = embedRequestOf(message);
      const asFloats = message.encoding !== 'base64';
      if (asFloats && call.protocol !== 'grpc') {
        const values = unwrap(await embeddings.valuesOf(call.caller, request));
        const most = call.protocol === 'rest' ? floatsMax : floatsAtOnceMax;
        if (values > most)
          throw new FailureError(
            invalid(
              'encoding',
              `The reply would have ${values} numbers; as "float" it may have ${most}. Ask for "base64", or send fewer inputs.`,
            ),
          );
      }
      const idempotency = requestIdentity(fingerprintKey, EmbeddingService.method.embed, message, call);
      const { requestId, signal } = call;
      const reply = unwrap(
        await embeddings.run(call.caller, request, {
          ...{ requestId, signal, idempotency, outlast: (work) => call.outlast(work) },
          left: () => {
            const left = call.left(takenWithinMs);
            if (left) call.outlast(left);
            return left;
          },
        }),
      );
      const { id: chargeId, balance, capLeft, usage } = reply;
      setChargeHeaders(call, { cost: usage.cost, chargeId, balance, capLeft });
      const vectors = asFloats ? await floatsOf(reply) : vectorsOf(reply);
      return embedResponse(reply, vectors, call.caller);
    },
    listEmbeddingModels: async ({ provider }, { caller }) => ({
      models: (await embeddings.models(caller, provider)).map(modelMessage),
    }),
  });
}

function embedRequestOf({ ownKey, ...message }: EmbedRequestMessage): EmbedRequest {
  const { provider, model, inputs, dimensions, user, metadata } = message;
  return {
    provider: provider || undefined,
    model: model || undefined,
    inputs,
    dimensions,
    user: user || undefined,
    ...(ownKey ? { ownKey: ownKey as OwnKeyUse } : {}),
    metadata,
  };
}

function embedResponse(
  reply: EmbedReply,
  embeddings: Vector[],
  caller: Caller,
): MessageInitShape<typeof EmbedResponseSchema> {
  const { id, provider, model, dimensions, usage } = reply;
  return {
    ...{ id, provider, model, dimensions },
    embeddings,
    usage: { inputTokens: usage.inputTokens, estimated: usage.estimated, costUsd: formatUsd(usage.cost) },
    balanceUsd: shownBalance(caller, reply) ?? '',
  };
}

type Vector = MessageInitShape<typeof EmbeddingSchema>;

/** One number takes about 30 ns, as long as a unit of a turn. */
async function floatsOf({ values, dimensions }: EmbedReply): Promise<Vector[]> {
  const vectors: Vector[] = [];
  const pace = createPace(unitsOfATurn);
  for (let start = 0; start < values.length; start += dimensions) {
    await pace(dimensions);
    vectors.push({ index: vectors.length, values: Array.from(values.subarray(start, start + dimensions)) });
  }
  return vectors;
}

function vectorsOf({ values, dimensions }: EmbedReply): Vector[] {
  const bytes = bytesOf(values);
  const length = 4 * dimensions;
  return Array.from({ length: values.length / dimensions }, (_, index) => ({
    index,
    base64: bytes.toString('base64', index * length, (index + 1) * length),
  }));
}

function modelMessage({
  model,
  embedding,
  price,
  ownKey,
}: PricedEmbeddingModel): MessageInitShape<typeof EmbeddingModelSchema> {
  return {
    ...{ id: model.id, provider: model.provider, quality: model.quality, inputTokensMax: model.contextTokens },
    ...embedding,
    inputPerMillionUsd: formatUsd(price.inputPerMillion ?? 0n),
    perRequestUsd: formatUsd(price.perRequest ?? 0n),
    ownKey: ownKey !== undefined,
  };
}
