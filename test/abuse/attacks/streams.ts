import type { Account, Reply, Stranger } from '../stage.ts';
import { type Attack, chatPath, messages, mustAnswer } from './attack.ts';
import { leaveUnread } from './unread.ts';

/** Streams resumed where a connection ended: other people's, repeatedly, and without being read. */

const piecesOfOthers = 'the reply of another';

export const streamAttacks: readonly Attack[] = [
  {
    name: 'resume-foreign',
    about: 'resumption of the streams of another account, and of another end user of the same one',
    right: ['401', '403', '404', '429'],
    width: 4,
    open: async (stage) => {
      const caller = stage.stranger();
      const owner = await stage.openAccount();
      const other = await stage.openAccount();
      const charges = [await keptBy(caller, owner.apiKey), await keptBy(caller, owner.token)];
      const neighbour = await tokenOf(caller, owner, 'neighbour');
      const asks = charges.flatMap((chargeId, at) => {
        // End users may not read what the application itself streamed, nor the reverse.
        const credentials = [other.apiKey, other.token, neighbour, 'nobody', at === 0 ? owner.token : owner.apiKey];
        return credentials.map((credential) => () => resume(caller, chargeId, credential));
      });
      for (const [at, credential] of [owner.apiKey, owner.token].entries())
        mustAnswer(await resume(caller, charges[at] ?? '', credential));
      return {
        send: async (turn) => {
          const { status = '', text = '' } = (await asks[turn % asks.length]?.()) ?? {};
          return text.includes('"content"') ? piecesOfOthers : status;
        },
      };
    },
  },
  {
    name: 'resume-endless',
    about: 'a reply of 1.2 MB that is resumed again and again, from its start, its end and beyond',
    right: ['200', '400', '429', '503'],
    width: 8,
    open: async (stage) => {
      const { apiKey } = await stage.openAccount();
      const caller = stage.stranger();
      const chargeId = await keptBy(caller, apiKey, 'long');
      const froms = ['0', '1', '270', '1000000', '4294967295'];
      return {
        send: async (turn) => (await resume(caller, chargeId, apiKey, froms[turn % froms.length])).status,
      };
    },
  },
  {
    name: 'resume-unread',
    about: 'readers of resumed and of new streams who take nothing of what they asked for',
    right: ['unread', '429', '503', 'closed'],
    width: 8,
    turns: 100,
    whole: true,
    open: async (stage) => {
      const { apiKey } = await stage.openAccount();
      const caller = stage.stranger();
      const chargeId = await keptBy(caller, apiKey, 'long');
      const accept = ['accept: text/event-stream'];
      const body = { model: 'long', messages, maxOutputTokens: 300_000, resumable: true };
      return {
        send: (turn) =>
          turn % 2 === 0
            ? leaveUnread(caller, { path: streamPath(chargeId), method: 'GET', credential: apiKey, headers: accept })
            : leaveUnread(caller, { path: chatPath, credential: apiKey, headers: accept, body }),
      };
    },
  },
];

function streamPath(chargeId: string): string {
  return `${chatPath}/${chargeId}/stream`;
}

function resume(caller: Stranger, chargeId: string, credential: string, after = '0'): Promise<Reply> {
  const headers = { accept: 'text/event-stream', 'last-event-id': after };
  return caller.request('GET', streamPath(chargeId), { credential, headers });
}

/** Streams a reply, which is then kept, to its end; returns its charge. */
async function keptBy(caller: Stranger, credential: string, model = 'plain'): Promise<string> {
  const reply = await caller.request('POST', chatPath, {
    credential,
    headers: { accept: 'text/event-stream' },
    body: { model, messages, maxOutputTokens: model === 'plain' ? 50 : 300_000, resumable: true },
  });
  mustAnswer(reply, '"content"');
  return String(reply.headers['x-charge-id']);
}

async function tokenOf(caller: Stranger, { apiKey }: Account, subject: string): Promise<string> {
  const made = await caller.request('POST', '/v1/tokens', { credential: apiKey, body: { subject } });
  mustAnswer(made);
  return JSON.parse(made.text).accessToken;
}
