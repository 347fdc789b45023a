import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { OwnKey } from '../base/own-key.ts';
import { connectProvider } from './kinds.ts';
import type { ProviderSettings } from './settings.ts';
import type { UpstreamFetch } from './upstream-fetch.ts';

type Models = (name: string) => LanguageModelV4;

/** Connects providers with keys that accounts brought. A connection is kept for as long as its key's object is, and no longer. */
export function createKeyedConnections(upstream: UpstreamFetch): (settings: ProviderSettings, key: OwnKey) => Models {
  const connections = new WeakMap<OwnKey, Models>();
  return ({ id, kind, baseUrl }, key) => {
    let models = connections.get(key);
    if (!models) {
      // Nothing else of the operator's: headers may hold its own keys, or take the place of this one.
      models = kept(connectProvider({ id, kind, baseUrl, apiKey: key.secret() }, upstream));
      connections.set(key, models);
    }
    return models;
  };
}

/** Calls name models of the catalog only, so there are few. */
function kept(connect: Models): Models {
  const models = new Map<string, LanguageModelV4>();
  return (name) => {
    let model = models.get(name);
    if (!model) {
      model = connect(name);
      models.set(name, model);
    }
    return model;
  };
}
