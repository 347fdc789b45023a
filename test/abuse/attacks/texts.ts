import type { Account, Reply, Stage, Stranger } from '../stage.ts';
import { type Attack, mustAnswer, tooMuch } from './attack.ts';
import { leaveUnread } from './unread.ts';

/** Texts to rank and to embed: many of them, long ones, and replies that nobody reads. */

const rankPaths = ['/api/v1/rerank', '/v1/rerank'] as const;
const embedPaths = ['/api/v1/embeddings', '/v1/embeddings'] as const;
const inputsMax = 2_048;
/** One letter per word, all different: as many words as bytes allow. */
const letters = Array.from({ length: 7_000 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(' ');

export const textAttacks: readonly Attack[] = [
  ranking('rerank-words', '24 rankings at once of 140 documents of 7,000 words by as many words', 24, {
    model: 'lexical',
    query: letters,
    documents: Array.from({ length: 140 }, () => letters),
  }),
  ranking('rerank-short', '24 rankings at once of 1,000 documents by a query of 64 KB', 24, {
    model: 'lexical',
    query: 'lorem ipsum '.repeat(5_400),
    documents: Array.from({ length: 1_000 }, (_, at) => `${at} lorem ipsum `.repeat(200)),
    returnDocuments: true,
  }),
  {
    name: 'embed-uncounted',
    about: 'embeddings of 4 MB of CJK whose tokens the service has to count',
    right: ['200', ...tooMuch],
    width: 4,
    open: async (stage) => {
      const ask = await asker(stage, embedPaths);
      const text = letters.replaceAll(' ', '').slice(0, 600);
      const inputs = Array.from({ length: inputsMax }, (_, at) => `${at} ${text}`);
      mustAnswer(await ask(0, { model: 'vectors', inputs: ['a'] }));
      return { send: async (turn) => (await ask(turn % 2, embedding(turn % 2, inputs, turn % 2 === 0))).status };
    },
  },
  {
    name: 'embed-numbers',
    about: 'embeddings of 341 texts as 523,776 numbers in JSON, on both paths',
    right: ['200', ...tooMuch],
    width: 4,
    open: async (stage) => {
      const ask = await asker(stage, embedPaths);
      // More numbers than the first path prints are refused.
      const inputs = Array.from({ length: 341 }, (_, at) => `${at}`);
      mustAnswer(await ask(0, embedding(0, inputs)));
      return { send: async (turn) => (await ask(turn % 2, embedding(turn % 2, inputs))).status };
    },
  },
  {
    name: 'embed-unread',
    about: '3,145,728 numbers asked for again and again, and nobody reads them',
    right: ['unread', 'closed', '429', '503'],
    width: 6,
    turns: 120,
    whole: true,
    open: async (stage) => {
      const { apiKey } = await stage.openAccount();
      const caller = stage.stranger();
      const inputs = Array.from({ length: inputsMax }, (_, at) => `${at}`);
      return {
        send: (turn) =>
          leaveUnread(caller, { path: embedPaths[1], credential: apiKey, body: embedding(1, inputs, turn % 2 === 0) }),
      };
    },
  },
];

function ranking(
  name: string,
  about: string,
  width: number,
  body: { model: string; query: string; documents: string[]; returnDocuments?: boolean },
): Attack {
  return {
    name,
    about,
    right: ['200', ...tooMuch],
    width,
    open: async (stage) => {
      const ask = await asker(stage, rankPaths);
      mustAnswer(await ask(0, { ...body, documents: ['a', 'b'] }), '"results"');
      const { returnDocuments, ...plain } = body;
      const shapes = [body, { ...plain, return_documents: returnDocuments ?? false }].map((each) =>
        JSON.stringify(each),
      );
      return { send: async (turn) => (await ask(turn % 2, shapes[turn % 2] ?? '')).status };
    },
  };
}

function embedding(path: number, inputs: readonly string[], asBase64 = false): object {
  return path === 0
    ? { model: 'vectors', inputs, encoding: asBase64 ? 'base64' : 'float' }
    : { model: 'vectors', input: inputs, encoding_format: asBase64 ? 'base64' : 'float' };
}

async function asker(
  stage: Stage,
  paths: readonly string[],
): Promise<(path: number, body: object | string) => Promise<Reply>> {
  const { apiKey }: Account = await stage.openAccount();
  const caller: Stranger = stage.stranger();
  return (path, body) => caller.request('POST', paths[path] ?? '', { credential: apiKey, body });
}
