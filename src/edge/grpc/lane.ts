import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { DescMethod, DescService, Message } from '@bufbuild/protobuf';
import { LinkedList, parseTimeoutMs } from '@intelligence-api/transcoding/parts';
import type { ServedService } from '../../api/handlers.ts';
import { FailureError, invalid, type Result } from '../../base/failure.ts';
import type { AnonymousBudget } from '../../limits/index.ts';
import type { AdmittedCall } from '../admitted-call.ts';
import { showsCredential } from '../anonymous.ts';
import { refusedLifeMs } from '../carrier.ts';
import { connectionOfSession } from '../connections.ts';
import type { Gate } from '../gate.ts';
import { acceptedEncodings } from '../grpc-message.ts';
import { GrpcCall } from './call.ts';
import { type Frame, readMessage, receiveFrame } from './message-in.ts';
import { type ReplyStream, replyStream, sendMessage, sendStatus } from './reply.ts';
import { encodingOf, problemOf } from './request-headers.ts';
import { statusOf } from './status.ts';

export interface GrpcLaneOptions {
  services: readonly ServedService[];
  gate: Gate;
  /** Absent if callers without a credential are not limited. */
  anonymous?: AnonymousBudget | undefined;
  /** The total time that a call without a credential may take, in milliseconds. */
  anonymousMs: number;
  /** From the call's headers to the end of its message, in milliseconds. */
  requestTimeoutMs: number;
  /** Longer deadlines set by callers are shortened to this. */
  maxTimeoutMs: number;
  /** The largest incoming message of a service's methods, after decompression. */
  messageBytes(service: DescService): number;
  /** The caller's address; forwarded ones only from trusted proxies. */
  peerOf(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): string;
  /** Headers on every reply, with lower-case names. */
  replyHeaders: Readonly<Record<string, string>>;
}

/** gRPC directly on HTTP/2 streams: methods that take one message, in binary form. */
export interface GrpcLane {
  /** Takes a stream that calls one of the lane's methods; false: it belongs elsewhere. */
  take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean;
  /** Ends the calls still running, with an error that explains why. */
  shutDown(): void;
}

interface Served {
  method: DescMethod;
  bytesMax: number;
}

export function createGrpcLane(options: GrpcLaneOptions): GrpcLane {
  const { anonymous, gate } = options;
  const methods = servedMethods(options);
  const running = new LinkedList<GrpcCall>();
  const ended = (call: GrpcCall) => running.delete(call);

  function take(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): boolean {
    const contentType = headers['content-type'];
    if (contentType !== 'application/grpc' && contentType !== 'application/grpc+proto') return false;
    const served = methods.get(headers[':path'] as string);
    if (!served || headers[':method'] !== 'POST' || headers.expect !== undefined) return false;
    const call = new GrpcCall(stream, headers, {
      peer: options.peerOf(stream, headers),
      connection: stream.session && connectionOfSession(stream.session),
      replyHeaders: { ':status': 200, 'content-type': contentType, ...options.replyHeaders },
      ended,
    });
    running.add(call);
    call.onStop = (error) => answer(call, error);
    try {
      if (mayEnter(call)) begin(call, served);
    } catch (error) {
      refuse(call, error);
    }
    return true;
  }

  /** Counts a call without a credential before any of its message is read. */
  function mayEnter(call: GrpcCall): boolean {
    if (!anonymous || showsCredential(call.headers)) return true;
    const entered = anonymous.enter(call.peer, call.connection);
    endAfter(call.stream, entered.ok ? options.anonymousMs : refusedLifeMs);
    if (entered.ok) call.stream.once('close', entered.value);
    else refuse(call, new FailureError(entered.failure));
    return entered.ok;
  }

  function begin(call: GrpcCall, served: Served): void {
    const timeout = call.headers['grpc-timeout'];
    const timeoutMs = timeout === undefined ? undefined : parseTimeoutMs(String(timeout));
    if (timeoutMs !== undefined) call.startDeadline(Math.min(timeoutMs, options.maxTimeoutMs));
    const admitting = gate.admit(served.method, call);
    if (admitting instanceof Promise)
      admitting.then(
        (admitted) => receive(call, admitted, served),
        (error) => refuse(call, error),
      );
    else receive(call, admitting, served);
  }

  function receive(call: GrpcCall, admitted: AdmittedCall, { method, bytesMax }: Served): void {
    call.onStop = (error) => {
      gate.abandon(admitted, error);
      answer(call, error);
    };
    // It was stopped during authentication.
    if (call.stopped) {
      gate.abandon(admitted, call.stopped);
      return;
    }
    const problem = problemOf(call.headers) ?? timeoutProblem(call);
    if (problem) {
      if (problem.kind === 'unimplemented') call.setReplyHeader('grpc-accept-encoding', acceptedEncodings);
      failed(new FailureError(problem));
      return;
    }
    call.receiveWithin(options.requestTimeoutMs);
    const receiving = { method, bytesMax, receive: (bytes: number) => admitted.receive(bytes) };
    receiveFrame(call.stream, receiving, (received) => {
      call.received();
      if (!call.stopped) decode(received);
    });

    function decode(received: Result<Frame>): void {
      if (!received.ok) {
        failed(new FailureError(received.failure));
        return;
      }
      const reading = readMessage(received.value, receiving, encodingOf(call.headers));
      if (reading instanceof Promise) reading.then(handle, failed);
      else handle(reading);
    }

    function handle(read: Result<Message>): void {
      if (call.stopped) return;
      try {
        if (!read.ok) failed(new FailureError(read.failure));
        else if (method.methodKind === 'unary') unary(call, admitted, read.value);
        else stream(call, admitted, read.value);
      } catch (error) {
        failed(error);
      }
    }

    function failed(error: unknown): void {
      gate.abandon(admitted, error);
      refuse(call, error);
    }
  }

  function unary(call: GrpcCall, admitted: AdmittedCall, request: Message): void {
    // The reply does not wait for a handler that ignores its signal.
    call.onStop = (error) => answer(call, error);
    gate
      .unary(admitted, request)
      .then((message) => sendMessage(call, admitted.method.output, message))
      .catch((error: unknown) => {
        if (call.decide()) answer(call, error);
        // The reply itself can't be written, for example because HTTP does not allow a header.
        else if (!call.stopped) call.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
      });
  }

  function stream(call: GrpcCall, admitted: AdmittedCall, request: Message): void {
    const reply = replyStream(call, admitted.method.output);
    const source = gate.stream(admitted, request)[Symbol.asyncIterator]();
    call.onStop = (error) => {
      // Throws the same error into the handler, where it waits. What the handler throws in turn has no receiver any more.
      source.throw?.(error).catch(() => {});
      end(call, reply, error);
    };
    pump(call, source, reply).then(
      () => {
        if (call.decide()) reply.end();
      },
      (error: unknown) => {
        if (call.decide()) end(call, reply, error);
      },
    );
  }

  function end(call: GrpcCall, reply: ReplyStream, error: unknown): void {
    guarded(call, () => reply.end(statusOf(gate.refuse(error, call.requestId), call.requestId)));
  }

  /** Answers a call that has sent nothing yet, unless it was already answered. */
  function refuse(call: GrpcCall, error: unknown): void {
    if (call.decide()) answer(call, error);
  }

  function answer(call: GrpcCall, error: unknown): void {
    const refusal = gate.refuse(error, call.requestId);
    if (call.isGone) return;
    guarded(call, () => sendStatus(call, statusOf(refusal, call.requestId)));
  }

  return {
    take,
    shutDown() {
      for (const call of running.all()) call.stop(new FailureError({ kind: 'shutting_down' }));
    },
  };
}

/** Ends its source in any case, because the call's place is given back by the source's end. */
async function pump(call: GrpcCall, source: AsyncIterator<Message>, reply: ReplyStream): Promise<void> {
  try {
    for (;;) {
      const { done, value } = await source.next();
      if (done || call.stopped) return;
      await reply.send(value);
    }
  } finally {
    await source.return?.();
  }
}

/** An answer that can't be written breaks its own stream only. */
function guarded(call: GrpcCall, send: () => void): void {
  try {
    send();
  } catch {
    call.stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  }
}

function timeoutProblem({ headers, deadline }: GrpcCall) {
  const timeout = headers['grpc-timeout'];
  if (timeout === undefined || deadline !== undefined) return undefined;
  return invalid('timeout', 'must be at most 8 digits and one of the units H, M, S, m, u, n');
}

function endAfter(stream: ServerHttp2Stream, ms: number): void {
  const ending = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), ms);
  ending.unref();
  stream.once('close', () => clearTimeout(ending));
}

function servedMethods({ services, messageBytes }: GrpcLaneOptions): Map<string, Served> {
  const methods = services
    .flatMap(({ service }) => service.methods)
    .filter(({ methodKind }) => methodKind === 'unary' || methodKind === 'server_streaming');
  return new Map(
    methods.map((method) => [
      `/${method.parent.typeName}/${method.name}`,
      { method, bytesMax: messageBytes(method.parent) },
    ]),
  );
}
