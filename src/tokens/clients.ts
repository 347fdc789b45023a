import type { Clock } from '../base/clock.ts';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import { newId } from '../base/ids.ts';
import { makePage, type Page, type PageRequest, readPageRequest } from '../base/page.ts';
import type { Transactional } from '../db/index.ts';
import { ownKey } from './bounds.ts';
import type { ClientsStore } from './clients-store.ts';
import type { ClientApplication, ParentKey } from './types.ts';

/** Client applications: what an account ships to its end users, so that their devices can be activated. */
export interface Clients {
  create(
    client: { accountId: string; keyId: string; displayName: string; activationUri?: string },
    within?: Transactional,
  ): Promise<Result<ClientApplication>>;
  get(accountId: string, clientId: string): Promise<Result<ClientApplication>>;
  list(accountId: string, page: PageRequest): Promise<Result<Page<ClientApplication>>>;
  /** Afterwards none of its devices can be activated or fetch another token. */
  disable(accountId: string, clientId: string, within?: Transactional): Promise<Result<ClientApplication>>;
}

/** Per account; disabled ones do not count. */
const clientsMax = 200;
const clientsFull = `The account has ${clientsMax} client applications, which is the most that it may have. Disable one that is not used any more.`;

const notFound: Failure = { kind: 'not_found', resource: 'client' };

export function createClients(options: {
  store: ClientsStore;
  clock: Clock;
  parentOf(keyId: string): Result<ParentKey> | Promise<Result<ParentKey>>;
}): Clients {
  const { store, clock, parentOf } = options;

  return {
    async create({ accountId, keyId, displayName, activationUri }, within) {
      if (displayName.trim() === '' || [...displayName].length > 200)
        return fail(invalid('displayName', 'must have 1 to 200 characters'));
      if (activationUri !== undefined && !isWebPage(activationUri))
        return fail(invalid('activationUri', 'must be the https address of a page, of at most 500 characters'));
      const parent = ownKey(await parentOf(keyId), accountId);
      if (!parent.ok) return parent;
      const client: ClientApplication = {
        id: newId('app'),
        accountId,
        keyId,
        displayName,
        createTime: clock.now(),
        ...(activationUri !== undefined && { activationUri }),
      };
      if (!(await store.insert(client, clientsMax, within)))
        return fail({ kind: 'precondition_failed', description: clientsFull });
      return succeed(client);
    },

    async get(accountId, clientId) {
      const client = await store.find(clientId);
      return client?.accountId === accountId ? succeed(client) : fail(notFound);
    },

    async list(accountId, page) {
      const start = readPageRequest('clients', page);
      if (!start.ok) return start;
      const { size, after } = start.value;
      const rows = await store.list({ accountId, limit: size + 1, ...(after !== undefined && { after }) });
      return succeed(makePage('clients', start.value, rows, ({ id }) => id));
    },

    async disable(accountId, clientId, within) {
      const client = await store.disable(accountId, clientId, { time: clock.now(), within });
      return client ? succeed(client) : fail(notFound);
    },
  };
}

function isWebPage(text: string): boolean {
  if (text.length > 500 || !URL.canParse(text)) return false;
  const { protocol, hostname, username, hash } = new URL(text);
  const isLocal = hostname === 'localhost' || hostname === '127.0.0.1';
  return (protocol === 'https:' || (protocol === 'http:' && isLocal)) && username === '' && hash === '';
}
