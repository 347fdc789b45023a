import { toJson } from '@bufbuild/protobuf';
import { Code, ConnectError } from '@connectrpc/connect';
import { detailsOf, headersOf, type Refusal } from './refusal.ts';

/** The google.rpc.Code status names, as AIP-193 prints them. */
export const statusNames: Readonly<Record<Code, string>> = {
  [Code.Canceled]: 'CANCELLED',
  [Code.Unknown]: 'UNKNOWN',
  [Code.InvalidArgument]: 'INVALID_ARGUMENT',
  [Code.DeadlineExceeded]: 'DEADLINE_EXCEEDED',
  [Code.NotFound]: 'NOT_FOUND',
  [Code.AlreadyExists]: 'ALREADY_EXISTS',
  [Code.PermissionDenied]: 'PERMISSION_DENIED',
  [Code.ResourceExhausted]: 'RESOURCE_EXHAUSTED',
  [Code.FailedPrecondition]: 'FAILED_PRECONDITION',
  [Code.Aborted]: 'ABORTED',
  [Code.OutOfRange]: 'OUT_OF_RANGE',
  [Code.Unimplemented]: 'UNIMPLEMENTED',
  [Code.Internal]: 'INTERNAL',
  [Code.Unavailable]: 'UNAVAILABLE',
  [Code.DataLoss]: 'DATA_LOSS',
  [Code.Unauthenticated]: 'UNAUTHENTICATED',
};

/** A refusal in the format of JSON over HTTP (AIP-193). */
export function errorBody(refusal: Refusal, requestId: string | undefined): string {
  const details = detailsOf(refusal, requestId).map(({ desc, value }) => ({
    '@type': `type.googleapis.com/${desc.typeName}`,
    ...(toJson(desc, value as never) as object),
  }));
  return JSON.stringify({
    error: { code: refusal.status, status: statusNames[refusal.code], message: refusal.message, details },
  });
}

/** A refusal in the form that gRPC, gRPC-Web and Connect carry. */
export function connectError(refusal: Refusal, requestId: string | undefined): ConnectError {
  return new ConnectError(
    refusal.message,
    refusal.code,
    headersOf(refusal),
    detailsOf(refusal, requestId).map(({ desc, value }) => ({ desc, value: value as never })),
  );
}
