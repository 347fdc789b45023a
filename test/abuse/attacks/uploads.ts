import type { Stranger } from '../stage.ts';
import { type Attack, type Lane, lanes, refusals, tooMuch } from './attack.ts';

/** Bodies sent in tiny pieces, or held back before their end. */

const crumb = '1\r\na\r\n';
const crumbsAtOnce = 20_000;
/** As bodies they are 3 MB, which is less than a chat may be. */
const crumbsMax = 3_000_000;
const answerMs = 15_000;

export const uploadAttacks: readonly Attack[] = [
  {
    name: 'body-crumbs',
    about: 'bodies in 3,000,000 chunks of one byte, on every lane, from a key and from nobody',
    right: [...refusals],
    width: 4,
    open: async (stage) => {
      const { apiKey } = await stage.openAccount('5.00');
      return { send: (turn) => sendCrumbs(stage.stranger(), turn, turn % 2 === 0 ? apiKey : 'nobody') };
    },
  },
  {
    name: 'body-held',
    about: '64 chats of 19 MB at once of one key, whose last bytes come when all others are there',
    // An image for a model that accepts none.
    right: [...tooMuch, 'closed'],
    width: 1,
    turns: 1,
    whole: true,
    open: async (stage) => {
      const { apiKey } = await stage.openAccount('5.00');
      const callers = Array.from({ length: 64 }, () => stage.stranger());
      return { send: () => holdBack(callers, apiKey) };
    },
  },
];

function sendCrumbs(caller: Stranger, turn: number, credential: string): Promise<string> {
  const lane = lanes[turn % lanes.length] as Lane;
  return new Promise((resolve) => {
    const socket = caller.socket();
    let sent = 0;
    const end = (outcome: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => end('timeout'), 2 * answerMs);
    // gRPC tells in a trailer what is wrong.
    const ofGrpc = lane.contentType.includes('grpc');
    socket.on('data', (chunk: Buffer) => end(ofGrpc ? '400' : statusOf(chunk)));
    socket.on('close', () => end('closed'));
    socket.write(`${head(credential, lane)}transfer-encoding: chunked\r\n\r\n`);
    const crumbs = crumb.repeat(crumbsAtOnce);
    const more = () => {
      while (sent < crumbsMax && !socket.destroyed) {
        sent += crumbsAtOnce;
        if (!socket.write(crumbs)) return;
      }
      if (sent >= crumbsMax) socket.end();
    };
    socket.on('drain', more);
    more();
  });
}

const start = Buffer.from('{"model":"plain","messages":[{"role":"user","parts":[{"image":{"data":"');
const end = Buffer.from('","mediaType":"image/png"}},{"text":"a"}]}]}');
const data = Buffer.alloc(19 * 1024 * 1024, 'A');

/** Sends everything but the end of each body, then the ends; returns the worst answer. */
async function holdBack(callers: readonly Stranger[], credential: string): Promise<string> {
  const length = start.length + data.length + end.length;
  const held = await Promise.all(
    callers.map(
      (caller) =>
        new Promise<{ finish(): Promise<string> }>((resolve) => {
          const socket = caller.socket();
          const { promise: answer, resolve: answered } = Promise.withResolvers<string>();
          const over = (outcome: string) => {
            answered(outcome);
            resolve({ finish: () => answer });
          };
          socket.on('data', (chunk: Buffer) => over(statusOf(chunk)));
          socket.on('close', () => over('closed'));
          socket.write(`${head(credential)}content-length: ${length}\r\n\r\n`);
          socket.write(start);
          socket.write(data, () =>
            resolve({
              finish: () => {
                socket.write(end);
                setTimeout(() => answered('timeout'), answerMs).unref();
                return answer;
              },
            }),
          );
        }),
    ),
  );
  return worst(await Promise.all(held.map(({ finish }) => finish())));
}

/** One that is not refused decides for all. */
function worst(outcomes: readonly string[]): string {
  return outcomes.find((outcome) => !tooMuch.includes(outcome as '400') && outcome !== 'closed') ?? '429';
}

function head(credential: string, { path, contentType } = lanes[0] as Lane): string {
  return `POST ${path} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${credential}\r\ncontent-type: ${contentType}\r\n`;
}

function statusOf(chunk: Buffer): string {
  return /^HTTP\/1\.1 (\d{3})/.exec(chunk.toString('latin1', 0, 20))?.[1] ?? 'closed';
}
