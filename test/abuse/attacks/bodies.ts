import { gzipSync } from 'node:zlib';
import { type Attack, chatPath, messages, mustAnswer, oneOf, refusals, upTo } from './attack.ts';

/** Bodies: compressed, deep, wide, large. */

const completionsPath = '/v1/chat/completions';
const mebibyte = 1024 * 1024;

function nested(depth: number, open = '{"a":', close = '}'): string {
  return `${open.repeat(depth)}1${close.repeat(depth)}`;
}

export const bodyAttacks: readonly Attack[] = [
  {
    name: 'body-gzip',
    about: '20 KB of gzip that open to 20 MiB of [[[, from somebody without a credential',
    right: ['401', '413', '429', 'closed'],
    width: 2,
    open: async (stage) => {
      const caller = stage.stranger();
      const body = gzipSync(Buffer.alloc(20 * mebibyte - 1, '['));
      const headers = { 'content-encoding': 'gzip' };
      return {
        send: async () =>
          (await caller.request('POST', completionsPath, { credential: 'nobody', headers, body })).status,
      };
    },
  },
  {
    name: 'body-gzip-key',
    about: 'the same from an end user with a token of one cent',
    right: ['400', '413', '429'],
    width: 2,
    open: async (stage) => {
      const { token } = await stage.openAccount();
      const caller = stage.stranger();
      const body = gzipSync(Buffer.alloc(20 * mebibyte - 1, '['));
      const headers = { 'content-encoding': 'gzip' };
      return {
        send: async (turn) => {
          const path = turn % 2 === 0 ? completionsPath : chatPath;
          return (await caller.request('POST', path, { credential: token, headers, body })).status;
        },
      };
    },
  },
  {
    name: 'body-tools-deep',
    about: 'tool parameters 20,000 deep, on each lane',
    right: ['400', '429'],
    width: 2,
    open: async (stage) => {
      const { token } = await stage.openAccount();
      const caller = stage.stranger();
      const start = `{"model":"plain","messages":${JSON.stringify(messages)},"tools":[`;
      const openAi = (deep: string) => `${start}{"type":"function","function":{"name":"f","parameters":${deep}}}]}`;
      const ours = (deep: string) => `${start}{"name":"f","parameters":${deep}}]}`;
      const lanes = [
        [completionsPath, openAi],
        [chatPath, ours],
        ['/intelligence.chat.v1.ChatService/Chat', ours],
      ] as const;
      const ask = async (turn: number, depth: number) => {
        const [path, bodyWith] = lanes[turn % lanes.length] ?? lanes[0];
        return caller.request('POST', path, { credential: token, body: bodyWith(nested(depth)) });
      };
      for (const lane of lanes.keys()) mustAnswer(await ask(lane, 2));
      return { send: async (turn) => (await ask(turn, 20_000)).status };
    },
  },
  {
    name: 'random-bodies',
    about: 'random JSON, sound and broken, deep, wide and large, on each lane, with and without a credential',
    right: ['200', '402', '422', ...refusals],
    width: 4,
    generated: true,
    open: async (stage) => {
      const { random } = stage;
      const { token, apiKey, managementKey } = await stage.openAccount();
      const caller = stage.stranger();
      return {
        send: async () => {
          const credential = oneOf(random, [token, apiKey, apiKey, managementKey, 'nobody']);
          const json = randomJson(random);
          const isZipped = random() < 0.2;
          const reply = await caller.request('POST', oneOf(random, paths), {
            credential,
            body: isZipped ? gzipSync(json) : json,
            headers: isZipped ? { 'content-encoding': 'gzip' } : {},
          });
          return reply.status;
        },
      };
    },
  },
];

const paths = [
  completionsPath,
  chatPath,
  `${chatPath}:estimate`,
  '/intelligence.chat.v1.ChatService/Chat',
  '/intelligence.workflow.v1.WorkflowService/CheckRisk',
  '/v1/risk/check',
  '/v1/readiness/listing',
  '/v1/pulse/events',
  '/v1/tokens',
  '/v1/workflow-definitions',
  '/oauth/token',
  '/nowhere',
];

type Maker = (random: () => number) => string;

/** Larger ones are rarer, because sending them alone takes most of the time. */
function randomJson(random: () => number): string {
  const size = oneOf(random, [10, 100, 1_000, 1_000, 20_000, 20_000, 300_000, 2_000_000]);
  const json = oneOf(random, shapes)(random, size);
  const chance = random();
  if (chance < 0.1) return json.slice(0, upTo(random, json.length));
  if (chance < 0.2) return json + oneOf(random, ['}', ',', '\u0000', '//', json.slice(0, 100)]);
  return json;
}

const value: Maker = (random) =>
  oneOf(random, ['1', '-0', '1e999', '"\\ud800"', '"a"', 'null', 'true', '[]', '{}', '9'.repeat(400), '"\\u0000"']);

const shapes: readonly ((random: () => number, size: number) => string)[] = [
  (_random, size) => nested(Math.ceil(size / 6)),
  (_random, size) => nested(size, '[', ']'),
  (_random, size) => '['.repeat(size),
  (random, size) =>
    `[${Array(Math.ceil(size / 3))
      .fill(value(random))
      .join(',')}]`.slice(0, 20 * size),
  (_random, size) => `{${Array.from({ length: Math.ceil(size / 12) }, (_, at) => `"k${at}":${at}`).join(',')}}`,
  (random, size) =>
    `{${Array(Math.ceil(size / 6))
      .fill(`"a":${value(random)}`)
      .join(',')}}`.slice(0, 20 * size),
  (_random, size) => `{"model":"plain","messages":[{"role":"user","content":"${'a'.repeat(size)}"}]}`,
  (_random, size) =>
    `{"messages":[${Array(Math.ceil(size / 34))
      .fill('{"role":"user","content":"hello"}')
      .join(',')}]}`,
  (random, size) => `{"text":"${'danger '.repeat(Math.ceil(size / 7))}","locale":${value(random)}}`,
  (random) => `{"__proto__":${value(random)},"constructor":{"prototype":{"a":1}},"messages":${value(random)}}`,
  (random) => value(random),
];
