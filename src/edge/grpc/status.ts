import type { OutgoingHttpHeaders } from 'node:http2';
import { create, toBinary } from '@bufbuild/protobuf';
import { anyPack } from '@bufbuild/protobuf/wkt';
import { StatusSchema } from '../../gen/google/rpc/status_pb.ts';
import { brief } from '../brief.ts';
import { spelled } from '../grpc-message.ts';
import { detailsOf, headersOf, type Refusal } from '../refusal.ts';

/**
 * Clients bound the headers of a reply, some at 8 KiB in all: the escaped message (a character may take nine bytes), and the
 * bytes of the violations, of which the first is always told.
 */
const messageBytesMax = 2_400;
const messageBriefly = 250;
const violationBytesMax = 2_500;

/** A refusal as gRPC trailers (gRPC over HTTP/2, "Responses"; `google.rpc.Status` for the details). */
export function statusOf(refusal: Refusal, requestId: string | undefined): OutgoingHttpHeaders {
  const { code } = refusal;
  const message =
    escaped(refusal.message).length > messageBytesMax ? brief(refusal.message, messageBriefly) : refusal.message;
  const details = detailsOf(withFewViolations(refusal), requestId).map(({ desc, value }) =>
    anyPack(desc, value as never),
  );
  const status = toBinary(StatusSchema, create(StatusSchema, { code, message, details }));
  return {
    ...headersOf(refusal),
    'grpc-status': String(code),
    'grpc-message': escaped(message),
    'grpc-status-details-bin': Buffer.from(status).toString('base64').replace(/=+$/, ''),
  };
}

function withFewViolations(refusal: Refusal): Refusal {
  if (!refusal.violations) return refusal;
  let bytes = 0;
  const violations = refusal.violations.filter(({ field, description }, index) => {
    bytes += Buffer.byteLength(field) + Buffer.byteLength(description);
    return index === 0 || bytes <= violationBytesMax;
  });
  return { ...refusal, violations };
}

/** The encoding of `grpc-message`: printable ASCII except `%` unchanged, everything else percent-encoded by its UTF-8 bytes. */
function escaped(message: string): string {
  return /^[ -$&-~]*$/.test(message) ? message : spelled(encodeURIComponent(message.toWellFormed()));
}
