import type { IncomingMessage } from 'node:http';
import { constants, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { piecesMax } from '@intelligence-api/transcoding/parts';
import { pacedReading } from './paced-reading.ts';
import { createTurnExcess } from './turn-excess.ts';

/**
 * Receiving a piece takes time whatever its length: a chunk some 1.5 us, a DATA frame some 3. The 64 KiB that are read at once hold up to
 * 13,107 chunks or 6,553 frames.
 */
const shortBytes = 64;
/** What the short pieces that all connections send in one turn of the event loop may take, in chunks; a frame counts as two. */
const chunksOfATurn = 16_384;
/** A connection with no more of it in this turn is not to blame. */
const blamelessChunks = 512;
/** What a refused body may still send, too. A handler refuses it earlier, and says why. */
const shortOfABody = 2 * piecesMax;

/**
 * What may be read beside a body over HTTP/1.1: what else was read at once with a piece of it, and the extensions of its chunks (RFC 9112,
 * section 7.1.1). Node bounds those of each chunk, but not of all; reading them takes 4 ns a byte, and no piece tells of them.
 */
const besideMax = 131_072;
/** The length of a chunk, and its ends of line. */
const chunkFrameBytes = 16;

/** Where a body arrives: a request over HTTP/1.1, a stream over HTTP/2. */
type Body = Readable & {
  shortPieces?: number;
  /** How much its connection will have read when nothing but the body was there. */
  expected?: number;
};
type Push = (this: Body, chunk: Buffer | null, encoding?: BufferEncoding) => boolean;

/**
 * Paces all bodies, for whichever handler: after many pieces of a connection no more of it is read before a turn of its own. What has
 * been read already cannot be held back; so when many connections send short pieces at the same moment, those that sent most of them
 * are ended.
 */
export interface PacedBodies {
  request(request: IncomingMessage): void;
  /** `received` is told of each piece. */
  session(session: ServerHttp2Session, socket: Socket, received?: (bytes: number) => void): void;
}

/** Ends a connection that reads far more than the body that it carries. */
function boundBeside(socket: Socket, push: Push): Push {
  return function pushBounded(this: Body, chunk, encoding) {
    if (chunk !== null) {
      const { bytesRead } = socket;
      if (this.expected === undefined) this.expected = bytesRead;
      else this.expected += chunk.length + chunkFrameBytes;
      if (bytesRead - this.expected > besideMax) {
        socket.destroy();
        return false;
      }
    }
    return push.call(this, chunk, encoding);
  };
}

export function createPacedBodies(): PacedBodies {
  const beginConnection = createTurnExcess(chunksOfATurn, blamelessChunks);
  /** By connection of HTTP/1.1. */
  const pushes = new WeakMap<Socket, Push>();

  /** What Node is to call with each piece, and with null at the end of a body. */
  function pushOf(
    chunks: number,
    paced: (bytes: number) => void,
    end: { connection(): void; body(body: Body): void },
  ): Push {
    const isTooMuch = beginConnection();
    let isEnded = false;
    return function push(chunk, encoding) {
      // What was read at once comes in full, whatever happens meanwhile.
      if (isEnded) return false;
      if (chunk !== null) {
        paced(chunk.length);
        if (chunk.length < shortBytes) {
          this.shortPieces = (this.shortPieces ?? 0) + 1;
          if (this.shortPieces > shortOfABody) end.body(this);
          if (isTooMuch(chunks)) {
            isEnded = true;
            end.connection();
          }
        }
      }
      return Readable.prototype.push.call(this, chunk, encoding);
    };
  }

  return {
    request(request) {
      const { socket } = request;
      let push = pushes.get(socket);
      if (!push) {
        const end = () => void socket.destroy();
        push = boundBeside(socket, pushOf(1, pacedReading(socket), { connection: end, body: end }));
        pushes.set(socket, push);
      }
      request.push = push;
    },
    session(session, socket, received) {
      const pace = pacedReading(socket, () => !session.destroyed);
      const paced = (bytes: number) => {
        received?.(bytes);
        pace(bytes);
      };
      const push = pushOf(2, paced, {
        connection: () => {
          session.destroy();
          // The session would first wait for its peer to close the connection, which is no longer read.
          socket.destroy();
        },
        body: (stream) => (stream as ServerHttp2Stream).close(constants.NGHTTP2_ENHANCE_YOUR_CALM),
      });
      session.on('stream', (stream: ServerHttp2Stream) => {
        if (!stream.endAfterHeaders) stream.push = push;
      });
    },
  };
}
