import { type DescMethod, fromBinary, fromJson, type JsonObject, toBinary, toJson } from '@bufbuild/protobuf';
import { BadRequestSchema, ErrorInfoSchema } from '../../../src/gen/google/rpc/error_details_pb.ts';
import { StatusSchema } from '../../../src/gen/google/rpc/status_pb.ts';

/** One call as a test requests it, whatever the client. */
export interface ClientCall {
  method: DescMethod;
  request: JsonObject;
  /** A key or token. */
  credential: string;
  /** Called with each message of a stream as it is received. */
  onMessage?: () => void;
  /** Makes the client cancel the call. */
  signal?: AbortSignal;
}

/** What a client reports about a call. */
export interface Outcome {
  /** gRPC's status number; 0: success. */
  code: number;
  messages: JsonObject[];
  message?: string;
  /** Of the ErrorInfo. */
  reason?: string | undefined;
  /** Of the BadRequest, if there is one. */
  fields?: string[];
}

/** A third-party client. */
export interface JourneyClient {
  call(call: ClientCall): Promise<Outcome>;
  close?(): void | Promise<void>;
}

export function pathOf({ parent, name }: DescMethod): string {
  return `/${parent.typeName}/${name}`;
}

export function requestBytes(method: DescMethod, request: JsonObject): Uint8Array {
  return toBinary(method.input, fromJson(method.input, request));
}

export function replyJson(method: DescMethod, bytes: Uint8Array): JsonObject {
  return toJson(method.output, fromBinary(method.output, bytes)) as JsonObject;
}

/** A detail of an error; its type is the name of a message, whatever precedes it. */
export interface Detail {
  type: string;
  value: Uint8Array;
}

/** The details in the `google.rpc.Status` that a client received. */
export function detailsIn(status: Uint8Array | undefined): Detail[] {
  if (!status) return [];
  return fromBinary(StatusSchema, status).details.map(({ typeUrl, value }) => ({ type: typeUrl, value }));
}

/** What a client reports about an error. */
export function refusedAs(code: number, message: string, details: readonly Detail[]): Omit<Outcome, 'messages'> {
  const info = details.find(({ type }) => type.endsWith('google.rpc.ErrorInfo'));
  const request = details.find(({ type }) => type.endsWith('google.rpc.BadRequest'));
  return {
    ...{ code, message, reason: info && fromBinary(ErrorInfoSchema, info.value).reason },
    ...(request && { fields: fromBinary(BadRequestSchema, request.value).fieldViolations.map(({ field }) => field) }),
  };
}
