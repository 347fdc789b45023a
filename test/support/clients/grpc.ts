import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import {
  createChannel,
  createClient,
  Metadata as createMetadata,
  type Metadata as NiceMetadata,
  type ServiceDefinition,
} from 'nice-grpc';
import { detailsIn, type JourneyClient, type Outcome, pathOf, refusedAs, replyJson, requestBytes } from './client.ts';

/** The official package for Node.js. */
export function grpcJs(url: string): JourneyClient {
  const client = new Client(new URL(url).host, credentials.createInsecure());
  return {
    close: () => client.close(),
    call: ({ method, request, credential, onMessage, signal }) =>
      new Promise((resolve) => {
        const metadata = new Metadata();
        metadata.set('authorization', `Bearer ${credential}`);
        const outcome: Outcome = { code: 0, messages: [] };
        const call = client.makeServerStreamRequest(
          pathOf(method),
          (bytes: Uint8Array) => Buffer.from(bytes),
          (bytes: Buffer) => replyJson(method, bytes),
          requestBytes(method, request),
          metadata,
        );
        signal?.addEventListener('abort', () => call.cancel());
        call.on('data', (message) => {
          outcome.messages.push(message);
          onMessage?.();
        });
        call.on('error', ({ code, details, metadata: trailers }: ServiceError) => {
          const [status] = trailers.get('grpc-status-details-bin');
          resolve({ ...outcome, ...refusedAs(code, details, detailsIn(status as Buffer | undefined)) });
        });
        call.on('end', () => resolve(outcome));
      }),
  };
}

/** nice-grpc, which wraps grpc-js in promises. */
export function niceGrpc(url: string): JourneyClient {
  const channel = createChannel(new URL(url).host);
  return {
    close: () => channel.close(),
    async call({ method, request, credential, onMessage, signal }) {
      const definition: ServiceDefinition = {
        called: {
          path: pathOf(method),
          requestStream: false,
          responseStream: method.methodKind === 'server_streaming',
          requestSerialize: (bytes: Uint8Array) => bytes,
          requestDeserialize: (bytes: Uint8Array) => bytes,
          responseSerialize: (bytes: Uint8Array) => bytes,
          responseDeserialize: (bytes: Uint8Array) => bytes,
          options: {},
        },
      };
      const outcome: Outcome = { code: 0, messages: [] };
      let trailers: NiceMetadata | undefined;
      const options = {
        metadata: createMetadata({ authorization: `Bearer ${credential}` }),
        onTrailer: (received: NiceMetadata) => {
          trailers = received;
        },
        ...(signal && { signal }),
      };
      const { called } = createClient(definition, channel) as Record<string, (...args: unknown[]) => unknown>;
      const received = (bytes: Uint8Array) => {
        outcome.messages.push(replyJson(method, bytes));
        onMessage?.();
      };
      try {
        const answer = called?.(requestBytes(method, request), options);
        if (method.methodKind === 'server_streaming')
          for await (const bytes of answer as AsyncIterable<Uint8Array>) received(bytes);
        else received((await answer) as Uint8Array);
        return outcome;
      } catch (error) {
        if ((error as Error).name === 'AbortError') return { ...outcome, code: cancelled };
        const { code, details } = error as { code: number; details: string };
        return { ...outcome, ...refusedAs(code, details, detailsIn(trailers?.get('grpc-status-details-bin'))) };
      }
    },
  };
}

/** The code for clients that throw an AbortError. */
const cancelled = 1;
