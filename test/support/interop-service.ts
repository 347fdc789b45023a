import { setTimeout as sleep } from 'node:timers/promises';
import { type ServedService, serve } from '../../src/api/handlers.ts';
import { FailureError } from '../../src/base/failure.ts';
import { InteropService } from '../gen/intelligence/test/v1/interop_pb.ts';

export interface Interop {
  service: ServedService;
  /** Responses that streams have produced. */
  made(): number;
  /** Unary calls whose handler has begun. */
  handled(): number;
  /** The reasons why calls' signals aborted, in order. */
  aborted: unknown[];
}

/** Headers that are echoed. */
const echoed = ['x-grpc-test-echo-initial', 'x-grpc-test-echo-initial-bin'];

/** gRPC's interop test service, for the methods that take one message; it also reports what happened to its calls. */
export function interopService(): Interop {
  let made = 0;
  let handled = 0;
  const aborted: unknown[] = [];
  const watch = (signal: AbortSignal) => signal.addEventListener('abort', () => aborted.push(signal.reason));
  const service = serve(InteropService, {
    emptyCall: async (_request, call) => {
      const reply = call.header('x-reply');
      if (reply !== undefined) call.setReplyHeader(reply, 'yes');
      return {};
    },
    unaryCall: async ({ responseSize, failWith, sleepMs }, call) => {
      handled += 1;
      for (const name of echoed) {
        const value = call.header(name);
        if (value !== undefined) call.setReplyHeader(name, value);
      }
      if (sleepMs > 0) {
        watch(call.signal);
        await sleep(sleepMs);
      }
      if (failWith !== '') throw new FailureError({ kind: 'precondition_failed', description: failWith });
      return { payload: new Uint8Array(responseSize) };
    },
    streamingOutputCall: async function* ({ responseSizes, pauseMs }, call) {
      watch(call.signal);
      for (const size of responseSizes) {
        if (pauseMs > 0) await sleep(pauseMs, undefined, { signal: call.signal });
        made += 1;
        yield { payload: new Uint8Array(size) };
      }
    },
  });
  return { service, made: () => made, handled: () => handled, aborted };
}
