import type { OwnKey } from '../base/own-key.ts';
import type { ProviderSettings } from './settings.ts';

/** Connects providers with keys that accounts brought. A connection lives exactly as long as its key's object. */
export function createKeyedConnections<Connection>(
  connect: (settings: ProviderSettings) => Connection,
): (settings: ProviderSettings, key: OwnKey) => Connection {
  const connections = new WeakMap<OwnKey, { made: Connection }>();
  return ({ id, kind, baseUrl }, key) => {
    let connection = connections.get(key);
    if (!connection) {
      // Nothing else of the operator's: its headers may hold its own keys, or override this one.
      connection = { made: connect({ id, kind, baseUrl, apiKey: key.secret() }) };
      connections.set(key, connection);
    }
    return connection.made;
  };
}

/** Caches what is made for a name. Only models of the catalog are called, so there are few. */
export function kept<Made>(make: (name: string) => Made): (name: string) => Made {
  const made = new Map<string, Made>();
  return (name) => {
    let found = made.get(name);
    if (found === undefined) {
      found = make(name);
      made.set(name, found);
    }
    return found;
  };
}
