import {
  create,
  type DescMessage,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Client, type ClientOptions, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { ErrorInfoSchema } from '../../src/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../src/gen/google/rpc/status_pb.ts';

export interface GrpcReply<T> {
  message?: T;
  messages: T[];
  error?: ServiceError;
  /** `reason` of the ErrorInfo in grpc-status-details-bin. */
  reason?: string | undefined;
  headers: Metadata;
}

/** A client of the official Node.js gRPC package that calls by descriptors. */
export function grpcClient(address: string, options: ClientOptions = {}) {
  const client = new Client(address.replace(/^https?:\/\//, ''), credentials.createInsecure(), options);
  return {
    close: () => client.close(),
    unary<I extends DescMessage, O extends DescMessage>(
      method: DescMethodUnary<I, O>,
      request: MessageInitShape<I>,
      headers: Record<string, string | Buffer> = {},
      { bytes, ...options }: { deadline?: number /** Sent instead of the message. */; bytes?: Buffer } = {},
    ): Promise<GrpcReply<MessageShape<O>>> {
      return new Promise((resolve) => {
        let initial = new Metadata();
        const call = client.makeUnaryRequest(
          pathOf(method),
          (message: MessageShape<I>) => bytes ?? Buffer.from(toBinary(method.input, message)),
          (reply: Buffer) => fromBinary(method.output, reply),
          create(method.input, request),
          metadataOf(headers),
          options,
          (error, message) =>
            resolve({
              messages: [],
              headers: initial,
              ...(message && { message }),
              ...(error && { error, reason: reasonOf(error) }),
            }),
        );
        call.on('metadata', (metadata) => {
          initial = metadata;
        });
      });
    },
    serverStream<I extends DescMessage, O extends DescMessage>(
      method: DescMethodServerStreaming<I, O>,
      request: MessageInitShape<I>,
      headers: Record<string, string | Buffer> = {},
      onMessage?: (message: MessageShape<O>, cancel: () => void) => void,
      { onStart, ...options }: { deadline?: number; onStart?(cancel: () => void): void } = {},
    ): Promise<GrpcReply<MessageShape<O>>> {
      return new Promise((resolve) => {
        const messages: MessageShape<O>[] = [];
        let initial = new Metadata();
        const call = client.makeServerStreamRequest(
          pathOf(method),
          (message: MessageShape<I>) => Buffer.from(toBinary(method.input, message)),
          (bytes: Buffer) => fromBinary(method.output, bytes),
          create(method.input, request),
          metadataOf(headers),
          options,
        );
        onStart?.(() => call.cancel());
        call.on('metadata', (metadata) => {
          initial = metadata;
        });
        call.on('data', (message) => {
          messages.push(message);
          onMessage?.(message, () => call.cancel());
        });
        call.on('error', (error: ServiceError) =>
          resolve({ messages, error, reason: reasonOf(error), headers: initial }),
        );
        call.on('end', () => resolve({ messages, headers: initial }));
      });
    },
  };
}

function pathOf(method: DescMethodUnary | DescMethodServerStreaming): string {
  return `/${method.parent.typeName}/${method.name}`;
}

function metadataOf(headers: Record<string, string | Buffer>): Metadata {
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  return metadata;
}

function reasonOf(error: ServiceError): string | undefined {
  const [bytes] = error.metadata?.get('grpc-status-details-bin') ?? [];
  if (!Buffer.isBuffer(bytes)) return undefined;
  const info = fromBinary(StatusSchema, bytes).details.find(({ typeUrl }) => typeUrl.endsWith('ErrorInfo'));
  return info && fromBinary(ErrorInfoSchema, info.value).reason;
}
