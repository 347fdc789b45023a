import { eventStreamType, type Framing, keepAlive } from '@intelligence-api/transcoding/parts';

/** What the package answers, with its whole body. */
export interface McpAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The answer when all of it is there: in an event stream the result of a tool comes long after the head. */
export async function wholeOf(answering: Promise<Response>): Promise<McpAnswer> {
  const response = await answering;
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: Buffer.from(await response.arrayBuffer()) };
}

/** As `work` ends, or undefined when it takes longer. */
export function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, undefined);
    work.then(resolve, reject).then(() => clearTimeout(timer));
  });
}

/**
 * An answer that takes its time as an event stream, with comments until it is there, so that proxies in front do not give up.
 * `printError`: the message that says what went wrong.
 */
export function atWork(
  whole: Promise<McpAnswer>,
  printError: (error: unknown) => string,
): { messages: AsyncIterable<McpAnswer | undefined>; framing: Framing<McpAnswer | undefined> } {
  async function* messages() {
    yield undefined;
    yield await whole;
  }
  return {
    messages: messages(),
    framing: {
      contentType: () => eventStreamType,
      frame: (answer) => (answer ? eventsOf(answer) : keepAlive),
      failure: (error) => event(printError(error)),
      hasHeartbeat: true,
    },
  };
}

/** Clients of 2025 are answered in events as it is, those of 2026 with the message alone. */
function eventsOf({ headers, body }: McpAnswer): string {
  const text = body.toString();
  return headers['content-type']?.startsWith('text/event-stream') ? text : event(text);
}

function event(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}
