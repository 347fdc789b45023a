import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { load, median, progress } from './support.ts';

/** What each dialect costs the service, compared with the contract's own JSON. */
export interface DialectFigure {
  name: string;
  path: string;
  /** The service's processor time per request, in microseconds; median of the rounds. */
  cpuUs: number;
  /** Relative to the contract's own JSON. */
  ratio: number;
  errors: number;
}

/** A reply that fits `replySchema`. */
export const structuredReply = JSON.stringify({
  sentences: ['Sales grew.', 'Costs fell.', 'Cash is short.'],
  risk: 'cash',
  score: 3,
  detail: { source: 'report', pages: [1, 2, 3] },
});

const replySchema = {
  type: 'object',
  properties: {
    sentences: { type: 'array', items: { type: 'string', maxLength: 500 }, minItems: 3, maxItems: 3 },
    risk: { type: 'string', pattern: '^[a-z ]+$' },
    score: { type: 'integer', minimum: 1, maximum: 5 },
    detail: {
      type: 'object',
      properties: { source: { type: 'string' }, pages: { type: 'array', items: { type: 'number' } } },
      required: ['source', 'pages'],
      additionalProperties: false,
    },
  },
  required: ['sentences', 'risk', 'score', 'detail'],
  additionalProperties: false,
};

/** The same chat in each supported dialect, and with a reply that is checked; the check itself runs in another process. */
function dialects(question: string): { name: string; path: string; body: object }[] {
  const messages = [{ role: 'user', content: question }];
  return [
    {
      name: 'contract',
      path: '/api/v1/assistant/chat',
      body: { provider: 'auto', routing: { mode: 'economy' }, messages, maxOutputTokens: 256 },
    },
    {
      name: 'with a schema',
      path: '/api/v1/assistant/chat',
      body: {
        ...{ provider: 'auto', routing: { mode: 'economy' }, messages, maxOutputTokens: 256 },
        responseFormat: { kind: 'json', name: 'summary', schema: replySchema },
      },
    },
    {
      name: 'chat completions',
      path: '/v1/chat/completions',
      body: { model: 'auto:economy', messages, max_completion_tokens: 256 },
    },
    {
      name: 'responses',
      path: '/v1/responses',
      body: { model: 'auto:economy', input: messages, max_output_tokens: 256 },
    },
    { name: 'messages', path: '/v1/messages', body: { model: 'auto:economy', messages, max_tokens: 256 } },
  ];
}

/** Loads each dialect in turn, round by round, at 64 connections. `service` answers the message `cpu` with its processor time. */
export async function measureDialects(
  service: ChildProcess,
  options: { url: string; authorization: string; question: string; seconds: number; rounds: number },
): Promise<DialectFigure[]> {
  const compared = dialects(options.question).map((dialect) => ({ ...dialect, cpuUs: [] as number[], errors: 0 }));
  for (let round = 0; round <= options.rounds; round++)
    for (const dialect of compared) {
      progress(`dialects, ${round === 0 ? 'warm-up' : `round ${round} of ${options.rounds}`}: ${dialect.name}`);
      const before = await cpuOf(service);
      const { requests, errors } = await load({
        url: `${options.url}${dialect.path}`,
        body: JSON.stringify(dialect.body),
        headers: { authorization: options.authorization },
        connections: 64,
        seconds: options.seconds,
      });
      const spent = (await cpuOf(service)) - before;
      if (round === 0) continue;
      dialect.cpuUs.push(spent / requests);
      dialect.errors += errors;
    }
  const [own] = compared;
  return compared.map(({ name, path, cpuUs, errors }) => ({
    ...{ name, path, errors, cpuUs: Math.round(median(cpuUs)) },
    // Round by round, because the machine differs between rounds.
    ratio: Math.round(median(cpuUs.map((us, round) => us / (own?.cpuUs[round] ?? us))) * 100) / 100,
  }));
}

async function cpuOf(service: ChildProcess): Promise<number> {
  service.send('cpu');
  const [{ user, system }] = (await once(service, 'message')) as [NodeJS.CpuUsage];
  return user + system;
}
