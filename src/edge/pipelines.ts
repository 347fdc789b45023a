import type { IncomingMessage, RequestListener } from 'node:http';
import type { Socket } from 'node:net';
import { createTurnQuota } from '../base/turn.ts';
import { createTurnExcess } from './turn-excess.ts';

/**
 * Reading a request takes Node some 30 us, and the 64 KiB that are read at once hold up to 3,600 of them. When all connections together
 * bring more than this in one turn of the event loop, those that bring most are ended.
 */
const requestsOfATurn = 512;
/** A connection with no more of them in this turn is not to blame. */
const blamelessRequests = 4;
/** How many requests begin to be answered in one turn: the first step of each takes some 100 us. */
const answersOfATurn = 128;

/** Node's parser of HTTP/1.1, as far as needed. Its types do not cover it. */
interface Parser {
  /** Called with each request once its headers are there. What it returns tells the parser how to go on. */
  onIncoming: (request: IncomingMessage, keepsAlive: boolean) => number;
}

/** The request is told to be an upgrade: the parser leaves what follows to others. */
const goNoFurther = 2;

/** Paces requests over HTTP/1.1, which may be pipelined on any number of connections at the same moment. */
export interface Pipelines {
  /**
   * For each connection once it is served. Its parser otherwise goes on through everything that has been read, even when the connection
   * has been ended.
   */
  connection(socket: Socket): void;
  /** Lets so many requests be answered in a turn of the event loop, and the others in later turns. */
  inTurns(answer: RequestListener): RequestListener;
}

export function createPipelines(): Pipelines {
  const beginConnection = createTurnExcess(requestsOfATurn, blamelessRequests);

  return {
    connection(socket) {
      const { parser } = socket as Socket & { parser?: Parser | null };
      if (!parser) throw new Error('Node reads requests over HTTP/1.1 with something else than "parser"');
      const { onIncoming } = parser;
      const isTooMuch = beginConnection();
      parser.onIncoming = (request, keepsAlive) => {
        if (!socket.destroyed && isTooMuch(1)) socket.destroy();
        return socket.destroyed ? goNoFurther : onIncoming(request, keepsAlive);
      };
    },
    inTurns(answer) {
      const inTurn = createTurnQuota(answersOfATurn);
      return (request, response) => {
        const { socket } = request;
        inTurn(() => {
          // Its caller may have left while it waited.
          if (!socket.destroyed) answer(request, response);
        });
      };
    },
  };
}
