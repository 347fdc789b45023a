import { requestCut } from '../../support/event-stream.ts';

/** What a client requests over a lane, with a key that charges it at most once. */
export interface LaneTask {
  lane: Lane;
  key: string;
  apiKey: string;
  number: number;
}

/** What a client received: a paid reply, or why there is none. */
export type Heard =
  | { kind: 'delivered'; chargeId: string; chargedUsd: string }
  | { kind: 'refused'; why: string }
  | { kind: 'again'; why: string }
  | { kind: 'wrong'; why: string };

export const lanes = ['chat', 'embeddings', 'rerank', 'responses', 'messages', 'mcp', 'resumed'] as const;
export type Lane = (typeof lanes)[number];

export const chatPath = '/api/v1/assistant/chat';
export const pieces = ['One', ' two', ' three', ' four', ' five', '.'];
/** Longer than anything here takes on a busy machine, unless it is killed. */
const patienceMs = 30_000;
/** Maximum length shown of a wrong reply. */
const shownMax = 300;

type Asked = readonly [path: string, body: object, sign: string];

function requestOf({ lane, number }: LaneTask): Asked {
  const text = `Which plan fits shop number ${number}?`;
  const messages = [{ role: 'user', content: text }];
  switch (lane) {
    case 'chat':
    case 'resumed':
      return [chatPath, { model: 'm', messages }, pieces.join('')];
    case 'embeddings':
      return ['/v1/embeddings', { model: 'e', input: [text, 'a'] }, '"embedding"'];
    case 'rerank':
      return ['/v1/rerank', { model: 'r', query: text, documents: ['a plan', 'a shop'] }, 'relevance_score'];
    case 'responses':
      return ['/v1/responses', { model: 'm', input: text }, pieces.join('')];
    case 'messages':
      return ['/v1/messages', { model: 'm', max_tokens: 50, messages }, pieces.join('')];
    case 'mcp': {
      const params = { name: 'check_risk', arguments: { text, assist: 'off' } };
      return ['/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, 'riskLevel'];
    }
  }
}

/** Asks a node once. */
export async function askOnce(url: string, task: LaneTask): Promise<Heard> {
  if (task.lane === 'resumed') return readCut(url, task);
  const [path, body, sign] = requestOf(task);
  try {
    const reply = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: {
        ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        ...{ authorization: `Bearer ${task.apiKey}`, 'idempotency-key': task.key },
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(patienceMs),
    });
    const text = await reply.text();
    const tool = task.lane === 'mcp' && reply.status === 200 ? toolResult(text) : undefined;
    const status = tool?.failure ?? reply.status;
    if (status !== 200) return refusalOf(status, text);
    const chargeId = tool?.chargeId ?? reply.headers.get('x-charge-id');
    const chargedUsd = tool?.costUsd ?? reply.headers.get('x-charge-usd');
    if (!chargeId || !chargedUsd || !text.includes(sign))
      return { kind: 'wrong', why: `a reply without it all: ${text.slice(0, shownMax)}` };
    return { kind: 'delivered', chargeId, chargedUsd };
  } catch (error) {
    return { kind: 'again', why: String((error as { name?: string }).name) };
  }
}

/** A stream whose connection breaks after its second piece and which continues from there. */
async function readCut(url: string, task: LaneTask): Promise<Heard> {
  const [path, body] = requestOf(task);
  const headers = [`authorization: Bearer ${task.apiKey}`, 'accept: text/event-stream'];
  const head = [`POST ${path} HTTP/1.1`, ...headers, 'content-type: application/json', `idempotency-key: ${task.key}`];
  try {
    const begun = await requestCut(url, { head, body: JSON.stringify({ ...body, resumable: true }), cutAt: '" two"' });
    if (begun.status === undefined) return { kind: 'again', why: 'closed' };
    if (begun.status !== 200) return refusalOf(begun.status, begun.body);
    const chargeId = begun.headers['x-charge-id'] ?? '';
    const last = begun.events.findLast(({ id }) => id !== undefined)?.id ?? '0';
    const resumed = await requestCut(url, {
      head: [`GET ${path}/${chargeId}/stream HTTP/1.1`, ...headers, `last-event-id: ${last}`],
    });
    // The stored part of a reply whose node died has no end event; the key says what happened to it.
    const events = [...begun.events, ...resumed.events].map(({ data }) => parsed(data));
    const end = events.find((event) => event.end)?.end;
    if (!end) return { kind: 'again', why: `without an end (${resumed.status})` };
    const text = events.map(({ content = '' }) => content).join('');
    if (text !== pieces.join('')) return { kind: 'wrong', why: `a stream of "${text}"` };
    return { kind: 'delivered', chargeId, chargedUsd: String(end.usage?.costUsd) };
  } catch (error) {
    return { kind: 'again', why: String((error as { code?: string }).code) };
  }
}

function parsed(data: string): { content?: string; end?: { usage?: { costUsd?: string } } } {
  try {
    return JSON.parse(data);
  } catch {
    return {};
  }
}

interface ToolAnswer {
  result?: {
    isError?: boolean;
    content?: { text: string }[];
    structuredContent?: { usage?: { chargeId?: string; costUsd?: string } };
  };
}

/** What a tool cost, or the status of its failure. */
function toolResult(text: string): { failure?: number | undefined; chargeId?: string; costUsd?: string } {
  const line = text.startsWith('{') ? text : (/^data: (.*)$/m.exec(text)?.[1] ?? '{}');
  const { result } = JSON.parse(line) as ToolAnswer;
  if (!result?.isError) return { ...result?.structuredContent?.usage };
  const { error } = JSON.parse(result.content?.[0]?.text ?? '{}') as { error?: { code?: number } };
  return { failure: error?.code ?? 500 };
}

/** Anything that is not the client's own fault is retried. */
function refusalOf(status: number, text: string): Heard {
  if (status === 402) return { kind: 'refused', why: 'credit' };
  if (status === 409 || status === 429 || status >= 500) {
    const [, reason = ''] = /"reason":\s*"(\w+)"/.exec(text.replaceAll('\\"', '"')) ?? [];
    return { kind: 'again', why: `${status} ${reason}`.trim() };
  }
  return { kind: 'wrong', why: `${status}: ${text.slice(0, shownMax)}` };
}
