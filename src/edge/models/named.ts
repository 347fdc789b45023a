import type { Model } from '../../gen/intelligence/chat/v1/chat_pb.ts';

/** What a model does: answer conversations, embed texts or rank documents. */
export type ModelType = 'chat' | 'embedding' | 'rerank';

/** A model that the service has; chat models with what is known about them. */
export interface ServedModel {
  id: string;
  provider: string;
  type: ModelType;
  chat?: Model;
}

/** A model under the name by which other APIs' requests choose it. */
export interface NamedModel {
  name: string;
  ownedBy: string;
  type: ModelType;
  chat?: Model | undefined;
}

const choices = ['auto', 'auto:economy', 'auto:balanced', 'auto:quality', 'auto:fast'];

/** The names a request can use, starting with the service's own choices. */
export function namedModels(models: readonly ServedModel[]): NamedModel[] {
  return [
    ...choices.map((name): NamedModel => ({ name, ownedBy: 'intelligence', type: 'chat' })),
    ...models.map((model) => named(model, nameOf(model, models))),
  ];
}

/** The model with a name, or undefined. It may be prefixed with its provider, whether or not the list does so. */
export function modelNamed(name: string, models: readonly ServedModel[]): NamedModel | undefined {
  const found = models.find(({ id, provider }) => `${provider}/${id}` === name);
  return namedModels(models).find((each) => each.name === name) ?? (found && named(found, name));
}

function named({ provider, type, chat }: ServedModel, name: string): NamedModel {
  return { name, ownedBy: provider, type, chat };
}

/** A model's id, prefixed with its provider if two providers have a model with that id. */
function nameOf({ id, provider }: ServedModel, models: readonly ServedModel[]): string {
  return models.some((other) => other.id === id && other.provider !== provider) ? `${provider}/${id}` : id;
}
