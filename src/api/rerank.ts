import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Caller } from '../base/caller.ts';
import { unwrap } from '../base/failure.ts';
import { formatUsd } from '../base/money.ts';
import type { OwnKeyUse } from '../base/own-key.ts';
import { present } from '../base/present.ts';
import type { PricedRerankModel } from '../catalog/index.ts';
import type { RerankModelSchema } from '../gen/intelligence/rerank/v1/rerank_pb.ts';
import {
  type RerankRequest as RerankRequestMessage,
  type RerankResponseSchema,
  RerankService,
} from '../gen/intelligence/rerank/v1/rerank_service_pb.ts';
import type { Reranking, RerankReply, RerankRequest } from '../reranking/index.ts';
import { setChargeHeaders, shownBalance } from './balance.ts';
import { type ServedService, serve } from './handlers.ts';
import { requestIdentity } from './idempotency.ts';

/** RerankService: documents ordered by relevance, charged. */
export function rerankService({
  reranking,
  fingerprintKey,
}: {
  reranking: Reranking;
  fingerprintKey: Uint8Array;
}): ServedService {
  return serve(RerankService, {
    rerank: async (message, call) => {
      const idempotency = requestIdentity(fingerprintKey, RerankService.method.rerank, message, call);
      const { requestId, signal } = call;
      const reply = unwrap(
        await reranking.run(call.caller, rerankRequestOf(message), {
          ...{ requestId, signal, idempotency, outlast: (work) => call.outlast(work) },
        }),
      );
      const { id: chargeId, balance, capLeft, usage } = reply;
      setChargeHeaders(call, { cost: usage.cost, chargeId, balance, capLeft });
      return rerankResponse(reply, message, call.caller);
    },
    listRerankModels: async ({ provider }, { caller }) => ({
      models: (await reranking.models(caller, provider)).map(modelMessage),
    }),
  });
}

function rerankRequestOf({ ownKey, ...message }: RerankRequestMessage): RerankRequest {
  const { provider, model, query, documents, topN, metadata } = message;
  return {
    ...{ provider: provider || undefined, model: model || undefined, query, documents, topN, metadata },
    ...(ownKey ? { ownKey: ownKey as OwnKeyUse } : {}),
  };
}

function rerankResponse(
  reply: RerankReply,
  { documents, returnDocuments }: RerankRequestMessage,
  caller: Caller,
): MessageInitShape<typeof RerankResponseSchema> {
  const { id, provider, model, results, usage } = reply;
  const { cost, ...counts } = usage;
  return {
    ...{ id, provider, model },
    results: results.map(({ index, score }) => ({
      ...{ index, relevanceScore: score },
      ...(returnDocuments && documents[index] !== undefined ? { document: documents[index] } : {}),
    })),
    usage: { ...counts, costUsd: formatUsd(cost) },
    balanceUsd: shownBalance(caller, reply) ?? '',
  };
}

function modelMessage({ model, rerank, price, ownKey }: PricedRerankModel): MessageInitShape<typeof RerankModelSchema> {
  const isTokens = rerank.bills === 'tokens';
  return present({
    ...{ id: model.id, provider: model.provider, quality: model.quality, inputTokensMax: model.contextTokens },
    documentsMax: rerank.documentsMax,
    inputPerMillionUsd: isTokens ? formatUsd(price.inputPerMillion ?? 0n) : undefined,
    perThousandSearchUnitsUsd: isTokens ? undefined : formatUsd(price.perThousandSearchUnits ?? 0n),
    perRequestUsd: formatUsd(price.perRequest ?? 0n),
    ownKey: ownKey !== undefined,
  });
}
