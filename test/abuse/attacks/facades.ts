import type { Reply } from '../stage.ts';
import { type Attack, messages, mustAnswer, tooMuch } from './attack.ts';
import { doublingReferences } from './schemas.ts';

/** Paths for clients of other APIs, and of the Model Context Protocol, from an end user with a token of one cent. */

const messagesPath = '/v1/messages';
const countPath = '/v1/messages/count_tokens';
const responsesPath = '/v1/responses';
const mcpPath = '/mcp';
const question = messages[0]?.content ?? '';

/** What each lane requires around a tool's schema. */
const lanes: readonly { path: string; with(schema: object): object }[] = [
  {
    path: messagesPath,
    with: (schema) => ({ model: 'plain', max_tokens: 20, messages, tools: [{ name: 'f', input_schema: schema }] }),
  },
  { path: countPath, with: (schema) => ({ model: 'plain', messages, tools: [{ name: 'f', input_schema: schema }] }) },
  {
    path: responsesPath,
    with: (schema) => ({
      ...{ model: 'plain', input: question, max_output_tokens: 20 },
      tools: [{ type: 'function', name: 'f', parameters: schema }],
    }),
  },
  {
    path: responsesPath,
    with: (schema) => ({
      ...{ model: 'plain', input: question, max_output_tokens: 20 },
      text: { format: { type: 'json_schema', name: 'f', schema } },
    }),
  },
];

/** A schema as wide as a body may be, of nested names. */
function wideSchema(turn: number): object {
  const properties = Object.fromEntries(
    Array.from({ length: 6_000 }, (_, at) => [`p${turn}_${at}`, { type: 'string', pattern: `^(a{0,1000})${at}$` }]),
  );
  return { type: 'object', properties };
}

const bombs: readonly ((turn: number) => object)[] = [
  wideSchema,
  () => doublingReferences(60),
  () => ({ type: 'object', allOf: Array.from({ length: 3_000 }, (_, at) => doublingReferences(at % 3)) }),
];

export const facadeAttacks: readonly Attack[] = [
  {
    name: 'facade-tool-schemas',
    about: 'tools whose schemas are wide, or double, in messages, counts of tokens and responses',
    // A tool's parameters are for the model to read: they are passed on, and only their size is checked.
    right: ['200', '402', '502', ...tooMuch],
    width: 4,
    open: async (stage) => {
      const { token } = await stage.openAccount();
      const caller = stage.stranger();
      const ask = (lane: number, schema: object) =>
        caller.request('POST', lanes[lane]?.path ?? '', { credential: token, body: lanes[lane]?.with(schema) ?? {} });
      for (const lane of lanes.keys()) mustAnswer(await ask(lane, { type: 'object' }));
      return {
        send: async (turn) =>
          (await ask(turn % lanes.length, bombs[Math.floor(turn / lanes.length) % bombs.length]?.(turn) ?? {})).status,
      };
    },
  },
  {
    name: 'facade-deep',
    about: 'tool inputs 20,000 deep, and 60,000 blocks that are wrong, in messages and responses',
    right: tooMuch,
    width: 2,
    open: async (stage) => {
      const { token } = await stage.openAccount();
      const caller = stage.stranger();
      const bodies = deepBodies();
      return {
        send: async (turn) => {
          const [path = '', body = ''] = bodies[turn % bodies.length] ?? [];
          return (await caller.request('POST', path, { credential: token, body })).status;
        },
      };
    },
  },
  {
    name: 'facade-images',
    about: 'an image of 19 MB in messages and in responses, for a model that takes none',
    right: ['400', '413', '429', '503'],
    width: 2,
    open: async (stage) => {
      const { token } = await stage.openAccount();
      const caller = stage.stranger();
      const data = 'A'.repeat(19 * 1024 * 1024);
      const ofMessages = { type: 'image', source: { type: 'base64', media_type: 'image/png', data } };
      const ofResponses = { type: 'input_image', image_url: `data:image/png;base64,${data}` };
      const bodies = [
        [messagesPath, { model: 'plain', max_tokens: 9, messages: [{ role: 'user', content: [ofMessages] }] }],
        [responsesPath, { model: 'plain', input: [{ role: 'user', content: [ofResponses] }] }],
      ].map(([path, body]) => [path as string, JSON.stringify(body)] as const);
      return {
        send: async (turn) => {
          const [path = '', body = ''] = bodies[turn % bodies.length] ?? [];
          return (await caller.request('POST', path, { credential: token, body })).status;
        },
      };
    },
  },
  {
    name: 'mcp-flood',
    about: 'sessions of the Model Context Protocol that begin and list tools, and messages of 1 MB',
    right: ['200', '202', ...tooMuch],
    width: 8,
    open: async (stage) => {
      const { token } = await stage.openAccount();
      const caller = stage.stranger();
      const ask = (body: object | string): Promise<Reply> =>
        caller.request('POST', mcpPath, {
          credential: token,
          headers: { accept: 'application/json, text/event-stream' },
          body,
        });
      const bodies = mcpMessages().map((body) => JSON.stringify(body));
      mustAnswer(await ask(bodies[1] ?? ''), 'inputSchema');
      return { send: async (turn) => (await ask(bodies[turn % bodies.length] ?? '')).status };
    },
  },
];

function deepBodies(): readonly (readonly [string, string])[] {
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`;
  const start = `{"model":"plain","max_tokens":9,"messages":${JSON.stringify(messages)},"tools":`;
  const blocks = Array.from({ length: 256 }, () => '{"type":"text","text":1}').join(',');
  const turns = Array.from({ length: 80 }, () => `{"role":"user","content":[${blocks}]}`).join(',');
  return [
    [messagesPath, `${start}[{"name":"f","input_schema":${deep}}]}`],
    [messagesPath, `{"model":"plain","max_tokens":9,"messages":[${turns}]}`],
    [countPath, `{"model":"plain","messages":[${turns}]}`],
    [
      responsesPath,
      `{"model":"plain","input":[{"type":"function_call","call_id":"a","name":"f","arguments":${deep}}]}`,
    ],
    [responsesPath, `{"model":"plain","input":[${turns}]}`],
    [responsesPath, `{"model":"plain","input":[${Array(4_000).fill('{"type":"reasoning","summary":[1]}').join(',')}]}`],
    [mcpPath, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_risk","arguments":${deep}}}`],
  ];
}

function mcpMessages(): readonly object[] {
  const request = (method: string, params: object) => ({ jsonrpc: '2.0', id: 1, method, params });
  const clientInfo = { name: 'a', version: '1' };
  const wide = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, at]));
  return [
    request('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }),
    request('tools/list', {}),
    request('tools/list', { _meta: wide }),
    request('initialize', { protocolVersion: '2025-06-18', capabilities: { experimental: wide }, clientInfo }),
    request('tools/call', { name: 'check_risk', arguments: wide }),
    request('tools/call', { name: 'nothing', arguments: wide }),
    request('tools/call', { name: 'check_risk', arguments: { text: 'x'.repeat(1_000_000), assist: 'off' } }),
  ];
}
