import { eventStreamType, type Framing, keepAlive } from '@intelligence-api/transcoding/parts';

/** The package's answer, with its complete body. */
export interface McpAnswer {
  status: number;
  headers: Record<string, string>;
  body: Buffer;
}

/** The complete answer: in an event stream, a tool's result comes long after the head. */
export async function wholeOf(answering: Promise<Response>): Promise<McpAnswer> {
  const response = await answering;
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: Buffer.from(await response.arrayBuffer()) };
}

/** Settles as `work` does, or resolves to undefined if it takes longer. */
export function within<T>(work: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms, undefined);
    work.then(resolve, reject).then(() => clearTimeout(timer));
  });
}

/**
 * A slow answer as an event stream, with comments until it arrives, so that intermediate proxies do not give up. `printError`:
 * the message that says what went wrong.
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

/** The package answers clients of 2025 with events already, and those of 2026 with just the message. */
function eventsOf({ headers, body }: McpAnswer): string {
  const text = body.toString();
  return headers['content-type']?.startsWith('text/event-stream') ? text : event(text);
}

function event(message: string): string {
  return `event: message\ndata: ${message}\n\n`;
}
