import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** What the upstream does with one request. Pieces are sent one by one, `pauseMs` apart. */
export interface UpstreamReply {
  status?: number;
  headers?: Record<string, string>;
  body?: string | object;
  pieces?: readonly string[];
  pauseMs?: number;
  delayMs?: number;
  /** Waits before the piece with this index until the test lets it continue. */
  gate?: { before: number; open: Promise<unknown> };
  /**
   * After the pieces: `reset` breaks the connection, `half-close` ends the socket without the end of the body, `silence` never says anything
   * again.
   */
  ending?: 'end' | 'reset' | 'half-close' | 'silence';
}

export interface SeenRequest {
  path: string;
  headers: IncomingMessage['headers'];
  body: Record<string, unknown>;
  /** Resolves if the connection is lost before the reply is complete. */
  aborted: Promise<void>;
}

/** A real HTTP server that stands in for a provider. */
export interface Upstream {
  url: string;
  seen: SeenRequest[];
  /** Sets how each request from now on is answered. */
  answer(handler: (request: SeenRequest) => UpstreamReply | Promise<UpstreamReply>): void;
  close(): Promise<void>;
}

export async function startUpstream(first: UpstreamReply = {}): Promise<Upstream> {
  let handler: (request: SeenRequest) => UpstreamReply | Promise<UpstreamReply> = () => first;
  const seen: SeenRequest[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    const aborted = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve();
      });
    });
    const arrived = { path: request.url ?? '', headers: request.headers, body: parsed(text), aborted };
    seen.push(arrived);
    await send(response, await handler(arrived));
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    answer: (next) => {
      handler = next;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

async function send(response: ServerResponse, reply: UpstreamReply): Promise<void> {
  if (reply.delayMs) await sleep(reply.delayMs, undefined, { ref: false });
  const pieces = reply.pieces ?? (reply.body === undefined ? [] : [bodyText(reply.body)]);
  const end = reply.ending ?? 'end';
  if (end === 'silence' && pieces.length === 0) return;
  if (end === 'reset' && pieces.length === 0) {
    response.destroy();
    return;
  }
  const type = reply.pieces ? 'text/event-stream' : 'application/json';
  response.writeHead(reply.status ?? 200, { 'content-type': type, ...reply.headers });
  response.flushHeaders();
  let index = 0;
  for (const piece of pieces) {
    if (reply.gate?.before === index++) await reply.gate.open;
    if (reply.pauseMs) await sleep(reply.pauseMs, undefined, { ref: false });
    if (response.destroyed) return;
    if (!response.write(piece)) await drained(response);
  }
  if (end !== 'end' && reply.pauseMs) await sleep(reply.pauseMs, undefined, { ref: false });
  if (end === 'end') response.end();
  else if (end === 'reset') response.socket?.resetAndDestroy();
  else if (end === 'half-close') response.socket?.end();
}

function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      response.off('drain', go).off('close', go);
      resolve();
    };
    response.on('drain', go).on('close', go);
  });
}

function bodyText(body: string | object): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function parsed(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** A completion as OpenAI's chat API writes it. */
export function completion(content: string, usage?: object | null): object {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'upstream-model',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    ...(usage === null ? {} : { usage: usage ?? { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 } }),
  };
}

/** A streamed completion in OpenAI's shape, one event per piece. */
export function streamedCompletion(contents: readonly string[], usage: object | null = null): string[] {
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
    `data: ${JSON.stringify({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'upstream-model', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
  return [
    chunk({ role: 'assistant', content: '' }),
    ...contents.map((content) => chunk({ content })),
    chunk({}, 'stop', usage ? { usage } : {}),
    'data: [DONE]\n\n',
  ];
}
