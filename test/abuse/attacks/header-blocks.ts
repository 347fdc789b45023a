import { once } from 'node:events';
import type { Stranger } from '../stage.ts';
import type { Attack } from './attack.ts';
import { frame, frameTypes, preface } from './frames.ts';

/** HTTP/2 requests with more header fields than Node takes: it rejects them by itself, and no code of the service sees them. */

const endOfHeadersAndStream = 0x05;
/** `:method: GET`, `:scheme: http`, `:path: /` and `:authority: a`. */
const named = Buffer.from([0x82, 0x86, 0x84, 0x01, 0x01, 0x61]);
/** `x: y`, which becomes the newest entry of the table, to be named by one byte. */
const entry = Buffer.from([0x40, 0x01, 0x78, 0x01, 0x79]);
const fields = Buffer.alloc(800, 0xbe);
const bytesMax = 16 * 1_048_576;
const pieceBytes = 65_536;

export const headerBlockAttacks: readonly Attack[] = [
  {
    name: 'header-blocks',
    about: 'requests with 800 header fields of a byte each, one after the other on one HTTP/2 connection',
    // On a machine so busy that the attacker sends less than 1 MiB a second, it is let be.
    right: ['closed', 'open'],
    width: 1,
    open: async (stage) => ({ send: () => send(stage.stranger()) }),
  },
];

async function send(caller: Stranger): Promise<string> {
  const socket = caller.socket();
  socket.resume();
  const closed = once(socket, 'close').catch(() => {});
  socket.write(Buffer.concat([preface, frame(frameTypes.settings, 0, 0, Buffer.alloc(0))]));
  let stream = 1;
  for (let sent = 0; sent < bytesMax && !socket.destroyed; sent += pieceBytes) {
    const blocks: Buffer[] = [];
    for (let bytes = 0; bytes < pieceBytes; bytes += named.length + fields.length) {
      const block = Buffer.concat(stream === 1 ? [named, entry, fields] : [named, fields]);
      blocks.push(frame(frameTypes.headers, endOfHeadersAndStream, stream, block));
      stream += 2;
    }
    if (!socket.write(Buffer.concat(blocks))) await Promise.race([once(socket, 'drain').catch(() => {}), closed]);
  }
  if (!socket.destroyed) await Promise.race([closed, new Promise((resolve) => setTimeout(resolve, 5_000))]);
  const outcome = socket.destroyed ? 'closed' : 'open';
  socket.destroy();
  return outcome;
}
