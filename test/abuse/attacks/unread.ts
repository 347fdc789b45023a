import type { Stranger } from '../stage.ts';

export interface Unread {
  path: string;
  method?: 'GET' | 'POST';
  credential: string;
  headers?: readonly string[];
  body?: object;
}

/** How long an answer may take to begin. */
const patienceMs = 20_000;

/** Sends a request and reads only the beginning of the answer: `unread`, a status other than 200, or what happened to it. */
export function leaveUnread(caller: Stranger, { path, method = 'POST', ...request }: Unread): Promise<string> {
  const { credential, headers = [], body } = request;
  const sent = body === undefined ? '' : JSON.stringify(body);
  return new Promise((resolve) => {
    const socket = caller.socket();
    const timer = setTimeout(() => resolve('timeout'), patienceMs);
    const end = (outcome: string) => {
      clearTimeout(timer);
      resolve(outcome);
    };
    socket.on('close', () => end('closed'));
    socket.once('data', (chunk: Buffer) => {
      socket.pause();
      const [, status = 'closed'] = /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1')) ?? [];
      if (status !== '200') socket.destroy();
      end(status === '200' ? 'unread' : status);
    });
    const head = [
      `${method} ${path} HTTP/1.1`,
      'host: 127.0.0.1',
      `authorization: Bearer ${credential}`,
      ...headers,
      ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(sent)}`]),
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${sent}`);
  });
}
