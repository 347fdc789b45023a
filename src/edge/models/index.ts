import { create, type DescMethod } from '@bufbuild/protobuf';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { FailureError, invalid } from '../../base/failure.ts';
import {
  ChatService,
  ListModelsRequestSchema,
  type ListModelsResponse,
} from '../../gen/intelligence/chat/v1/chat_service_pb.ts';
import {
  EmbeddingService,
  ListEmbeddingModelsRequestSchema,
  type ListEmbeddingModelsResponse,
} from '../../gen/intelligence/embedding/v1/embedding_service_pb.ts';
import {
  ListRerankModelsRequestSchema,
  type ListRerankModelsResponse,
  RerankService,
} from '../../gen/intelligence/rerank/v1/rerank_service_pb.ts';
import type { AdmittedCall } from '../admitted-call.ts';
import { KeyHeaderCall, namesVersion } from '../anthropic/index.ts';
import { createFacade, type FacadeCall, type FacadeOptions, sendJson } from '../facade.ts';
import { HttpIncomingCall } from '../incoming-call.ts';
import { printFor } from '../others-errors.ts';
import { modelInfo, modelPage } from './anthropic.ts';
import { modelNamed, type NamedModel, namedModels, type ServedModel } from './named.ts';

/** The paths of models: the list, and single models, whose ids may contain slashes. */
export function modelsPaths(pathPrefix: string): readonly [list: string, single: string] {
  return [`${pathPrefix}/v1/models`, `${pathPrefix}/v1/models/*`];
}

/**
 * `GET /v1/models` and `GET /v1/models/{model}`, in OpenAI's format, or in Anthropic's for clients that name its version: both
 * APIs share this path. Chat models come first, then embedding models, then reranking models.
 */
export async function models(instance: FastifyInstance, options: FacadeOptions): Promise<void> {
  const { gate, pathPrefix } = options;
  const [list, single] = modelsPaths(pathPrefix);
  const forOpenAi = createFacade(instance, {
    ...options,
    printRefusal: (refusal, requestId) => printFor('openai', refusal, requestId),
  });
  const forAnthropic = createFacade(instance, {
    ...options,
    printRefusal: (refusal, requestId) => printFor('anthropic', refusal, requestId),
  });

  instance.get(list, (request, reply) =>
    answering(request, reply, async (http) => {
      const named = namedModels(await served(http));
      if (!namesVersion(http.headers)) return { object: 'list', data: named.map(entryOf) };
      return modelPage(conversing(named), new URL(request.url, 'http://localhost').searchParams);
    }),
  );
  instance.get<{ Params: { '*': string } }>(single, (request, reply) =>
    answering(request, reply, async (http) => {
      const model = modelNamed(request.params['*'], await served(http));
      const isAnthropic = namesVersion(http.headers);
      if (!model || (isAnthropic && model.type !== 'chat'))
        throw new FailureError(
          invalid('model', 'There is no such model: GET /v1/models lists them.', 'MODEL_NOT_FOUND'),
        );
      return isAnthropic ? modelInfo(model) : entryOf(model);
    }),
  );

  function answering(request: FastifyRequest, reply: FastifyReply, answer: (http: FacadeCall) => Promise<object>) {
    const facade = namesVersion(request.headers) ? forAnthropic : forOpenAi;
    return facade(request, reply, async (http) => sendJson(reply, http, await answer(http)));
  }

  async function admit(http: FacadeCall, method: DescMethod): Promise<AdmittedCall> {
    const isAnthropic = namesVersion(http.headers);
    const incoming = isAnthropic ? new KeyHeaderCall('anthropic', http) : new HttpIncomingCall('openai', http);
    http.admitted = await gate.admit(method, incoming);
    if (isAnthropic) http.replyHeaders['request-id'] = http.admitted.requestId;
    return http.admitted;
  }

  async function served(http: FacadeCall): Promise<ServedModel[]> {
    const call = await admit(http, ChatService.method.listModels);
    const listed = await http.untilStopped(gate.unary(call, create(ListModelsRequestSchema, { pageSize: 1_000 })));
    const all = (listed as ListModelsResponse).models.map((chat): ServedModel => {
      const { id, provider } = chat;
      return { id, provider, type: 'chat', chat };
    });
    for (const [type, method, request] of otherLists)
      if (gate.serves(method)) {
        const more = gate.unary(gate.alongside(call, method), create(request));
        const found = (await http.untilStopped(more)) as ListEmbeddingModelsResponse | ListRerankModelsResponse;
        all.push(...found.models.map(({ id, provider }) => ({ id, provider, type })));
      }
    return all;
  }
}

const otherLists = [
  ['embedding', EmbeddingService.method.listEmbeddingModels, ListEmbeddingModelsRequestSchema],
  ['rerank', RerankService.method.listRerankModels, ListRerankModelsRequestSchema],
] as const;

/** Anthropic's API lists chat models only. */
function conversing(models: readonly NamedModel[]): NamedModel[] {
  return models.filter(({ type }) => type === 'chat');
}

function entryOf({ name, ownedBy, type }: NamedModel): object {
  return { id: name, object: 'model', created: 0, owned_by: ownedBy, type };
}
