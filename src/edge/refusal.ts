import { create, type Message } from '@bufbuild/protobuf';
import { durationFromMs } from '@bufbuild/protobuf/wkt';
import type { Code } from '@connectrpc/connect';
import type { FieldViolation } from '../base/failure.ts';
import { BadRequestSchema, ErrorInfoSchema, HelpSchema, RetryInfoSchema } from '../gen/google/rpc/error_details_pb.ts';

/** A failure as a caller sees it, independent of the protocol. */
export interface Refusal {
  code: Code;
  /** The HTTP status of JSON over HTTP; gRPC and Connect derive theirs from the code. */
  status: number;
  reason: string;
  /** What is wrong, where, and what to do about it. Contains nothing internal. */
  message: string;
  metadata?: Record<string, string>;
  violations?: FieldViolation[];
  retryAfterMs?: number;
  /** The HTTP headers (gRPC: metadata) that belong to it. */
  headers?: Record<string, string>;
  /** Where to read more, or to act. */
  help?: { description: string; url: string };
}

export const errorDomain = 'intelligence';

/** The details of `google.rpc.Status`: always one ErrorInfo, plus whatever else applies. */
export function detailsOf(refusal: Refusal, requestId: string | undefined) {
  const details: { desc: DetailSchema; value: Message }[] = [];
  const metadata = { ...refusal.metadata, ...(requestId !== undefined && { requestId }) };
  details.push({
    desc: ErrorInfoSchema,
    value: create(ErrorInfoSchema, { reason: refusal.reason, domain: errorDomain, metadata }),
  });
  if (refusal.violations)
    details.push({ desc: BadRequestSchema, value: create(BadRequestSchema, { fieldViolations: refusal.violations }) });
  if (refusal.retryAfterMs !== undefined)
    details.push({
      desc: RetryInfoSchema,
      value: create(RetryInfoSchema, { retryDelay: durationFromMs(Math.ceil(refusal.retryAfterMs)) }),
    });
  if (refusal.help) details.push({ desc: HelpSchema, value: create(HelpSchema, { links: [refusal.help] }) });
  return details;
}

export type DetailSchema =
  | typeof ErrorInfoSchema
  | typeof BadRequestSchema
  | typeof RetryInfoSchema
  | typeof HelpSchema;

/** A refusal's headers: its own, plus `Retry-After` in whole seconds if it can be retried. */
export function headersOf(refusal: Refusal): Record<string, string> {
  if (refusal.retryAfterMs === undefined) return refusal.headers ?? {};
  return { ...refusal.headers, 'retry-after': String(Math.max(1, Math.ceil(refusal.retryAfterMs / 1000))) };
}
