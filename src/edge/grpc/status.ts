import type { OutgoingHttpHeaders } from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { StatusSchema } from '../../gen/google/rpc/status_pb.ts';
import { spelled } from '../grpc-message.ts';
import { detailsOf, headersOf, type Refusal } from '../refusal.ts';

/** A refusal as gRPC trailers (gRPC over HTTP/2, "Responses"; `google.rpc.Status` for the details). */
export function statusOf(refusal: Refusal, requestId: string | undefined): OutgoingHttpHeaders {
  const { code, message } = refusal;
  const details = detailsOf(refusal, requestId).map(({ desc, value }) => anyPack(desc, value as never));
  const status = toBinary(StatusSchema, create(StatusSchema, { code, message, details }));
  return {
    ...headersOf(refusal),
    'grpc-status': String(code),
    'grpc-message': escaped(message),
    'grpc-status-details-bin': Buffer.from(status).toString('base64').replace(/=+$/, ''),
  };
}

/** The encoding of `grpc-message`: printable ASCII except `%` unchanged, everything else percent-encoded by its UTF-8 bytes. */
function escaped(message: string): string {
  return /^[ -$&-~]*$/.test(message) ? message : spelled(encodeURIComponent(message.toWellFormed()));
}
