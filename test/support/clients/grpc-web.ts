import { createRequire } from 'node:module';
import type { DescMethod } from '@bufbuild/protobuf';
import { GrpcStatusCode, GrpcWebFetchTransport } from '@protobuf-ts/grpcweb-transport';
import { type MethodInfo, RpcError, ServiceType } from '@protobuf-ts/runtime-rpc';
import { detailsIn, type JourneyClient, type Outcome, pathOf, refusedAs, replyJson, requestBytes } from './client.ts';
import { XmlHttpRequest } from './xml-http-request.ts';

const detailsOf = (text: string | undefined) => detailsIn(text === undefined ? undefined : Buffer.from(text, 'base64'));

/** protobuf-ts, over fetch. */
export function protobufTs(url: string, format: 'text' | 'binary'): JourneyClient {
  const transport = new GrpcWebFetchTransport({ baseUrl: url, format });
  return {
    async call({ method, request, credential, onMessage, signal }) {
      const outcome: Outcome = { code: 0, messages: [] };
      const options = transport.mergeOptions({
        meta: { authorization: `Bearer ${credential}` },
        ...(signal && { abort: signal }),
      });
      try {
        const call = transport.serverStreaming(asMethodInfo(method), requestBytes(method, request), options);
        // Each is handled where it is awaited; unhandled ones must not end the process.
        for (const each of [call.headers, call.status, call.trailers]) each.catch(() => {});
        for await (const bytes of call.responses) {
          outcome.messages.push(replyJson(method, bytes));
          onMessage?.();
        }
        await call.status;
        return outcome;
      } catch (error) {
        if (!(error instanceof RpcError)) throw error;
        const code = GrpcStatusCode[error.code as keyof typeof GrpcStatusCode];
        return {
          ...outcome,
          ...refusedAs(code, error.message, detailsOf(error.meta['grpc-status-details-bin'] as string | undefined)),
        };
      }
    },
  };
}

/** Messages are bytes here: their reader is the same for all clients. */
function asMethodInfo(method: DescMethod): MethodInfo<Uint8Array, Uint8Array> {
  const bytes = {
    typeName: method.input.typeName,
    toBinary: (message: Uint8Array) => message,
    fromBinary: (message: Uint8Array) => message,
    create: () => new Uint8Array(),
  };
  const service = new ServiceType(method.parent.typeName, []);
  const info = { name: method.name, localName: method.localName, service, I: bytes, O: bytes };
  return { ...info, serverStreaming: true, clientStreaming: false, idempotency: undefined, options: {} } as never;
}

interface OfficialCall {
  on(event: string, listener: (told: never) => void): void;
  cancel(): void;
}

/** The official client, made for browsers: it uses XMLHttpRequest, which Node does not have. */
export function officialGrpcWeb(url: string, format: 'text' | 'binary'): JourneyClient {
  const require = createRequire(import.meta.url);
  Object.assign(globalThis, { XMLHttpRequest: XmlHttpRequest });
  const { GrpcWebClientBase, MethodDescriptor } = require('grpc-web');
  const client = new GrpcWebClientBase({ format });
  return {
    call: ({ method, request, credential, onMessage, signal }) =>
      new Promise((resolve) => {
        const outcome: Outcome = { code: 0, messages: [] };
        const isStream = method.methodKind === 'server_streaming';
        const descriptor = new MethodDescriptor(
          pathOf(method),
          isStream ? 'server_streaming' : 'unary',
          Uint8Array,
          Uint8Array,
          (bytes: Uint8Array) => bytes,
          (bytes: Uint8Array) => bytes,
        );
        const metadata = { authorization: `Bearer ${credential}` };
        const received = (bytes: Uint8Array) => {
          outcome.messages.push(replyJson(method, bytes));
          onMessage?.();
        };
        const refused = ({
          code,
          message,
          metadata: trailers,
        }: {
          code: number;
          message: string;
          metadata?: Record<string, string>;
        }) => resolve({ ...outcome, ...refusedAs(code, message, detailsOf(trailers?.['grpc-status-details-bin'])) });
        const bytes = requestBytes(method, request);
        if (!isStream) {
          client.rpcCall(`${url}${pathOf(method)}`, bytes, metadata, descriptor, (error: never, reply: Uint8Array) => {
            if (error) refused(error);
            else {
              received(reply);
              resolve(outcome);
            }
          });
          return;
        }
        const call: OfficialCall = client.serverStreaming(`${url}${pathOf(method)}`, bytes, metadata, descriptor);
        call.on('data', received);
        call.on('error', refused);
        call.on('end', () => resolve(outcome));
        // It reports nothing about a call that it cancels.
        signal?.addEventListener('abort', () => {
          call.cancel();
          resolve({ ...outcome, code: 1 });
        });
      }),
  };
}
