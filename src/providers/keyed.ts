import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { OwnKey } from '../base/own-key.ts';
import { connectEmbeddings, type EmbeddingUpstream } from './embeddings.ts';
import { connectProvider } from './kinds.ts';
import type { ProviderSettings } from './settings.ts';
import type { UpstreamFetch } from './upstream-fetch.ts';

interface KeyedConnection {
  model(name: string): LanguageModelV4;
  embed?: ((name: string) => EmbeddingUpstream) | undefined;
}

/** Connects providers with keys that accounts brought. A connection is kept for as long as its key's object is, and no longer. */
export function createKeyedConnections(
  upstream: UpstreamFetch,
): (settings: ProviderSettings, key: OwnKey) => KeyedConnection {
  const connections = new WeakMap<OwnKey, KeyedConnection>();
  return ({ id, kind, baseUrl }, key) => {
    let connection = connections.get(key);
    if (!connection) {
      // Nothing else of the operator's: headers may hold its own keys, or take the place of this one.
      const settings: ProviderSettings = { id, kind, baseUrl, apiKey: key.secret() };
      const connect = connectProvider(settings, upstream);
      connection = { model: kept(connect), embed: connectEmbeddings(settings, upstream) };
      connections.set(key, connection);
    }
    return connection;
  };
}

/** A key's calls name models of the catalog only, so there are few. */
function kept<Model>(connect: (name: string) => Model): (name: string) => Model {
  const models = new Map<string, Model>();
  return (name) => {
    let model = models.get(name);
    if (!model) {
      model = connect(name);
      models.set(name, model);
    }
    return model;
  };
}
