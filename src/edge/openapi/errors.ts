import type { JsonSchema } from '../../base/message-schema.ts';
import { ErrorReasonSchema } from '../../gen/intelligence/common/v1/error_reason_pb.ts';
import { errorDomain } from '../refusal.ts';

const text = { type: 'string' };

/** The messages from google/rpc/error_details.proto that occur in errors. */
const detailSchemas: JsonSchema[] = [
  detail('ErrorInfo', ['reason', 'domain', 'metadata'], {
    reason: { type: 'string', enum: reasons(), description: 'Why, for programs.' },
    domain: { const: errorDomain },
    metadata: { type: 'object', additionalProperties: text, description: 'What a reason tells, and `requestId`.' },
  }),
  detail('BadRequest', ['fieldViolations'], {
    fieldViolations: {
      type: 'array',
      items: {
        ...{ type: 'object', required: ['field', 'description'], properties: { field: text, description: text } },
      },
    },
  }),
  detail('RetryInfo', ['retryDelay'], {
    retryDelay: { type: 'string', description: 'How long to wait, such as `1.500s`; `Retry-After` says it, too.' },
  }),
  detail('Help', ['links'], {
    links: {
      type: 'array',
      items: { type: 'object', required: ['description', 'url'], properties: { description: text, url: text } },
    },
  }),
];

function detail(name: string, required: string[], properties: Record<string, JsonSchema>): JsonSchema {
  const type = { const: `type.googleapis.com/google.rpc.${name}` };
  return { type: 'object', required: ['@type', ...required], properties: { '@type': type, ...properties } };
}

/** The `ErrorReason` names as stated in errors. */
function reasons(): string[] {
  return ErrorReasonSchema.values
    .filter(({ number }) => number !== 0)
    .map(({ name }) => name.replace(/^ERROR_REASON_/, ''));
}

/** The one format of errors (AIP-193). */
export const errorSchemas: Record<string, JsonSchema> = {
  Error: {
    type: 'object',
    description:
      'Why a call failed. `details` holds exactly one `google.rpc.ErrorInfo`, whose `reason` is for programs.',
    required: ['error'],
    properties: {
      error: {
        type: 'object',
        required: ['code', 'status', 'message', 'details'],
        properties: {
          code: { type: 'integer', description: 'The HTTP status.' },
          status: { type: 'string', description: 'The name of the gRPC code.' },
          message: { type: 'string', description: 'For people: what is wrong and what to do.' },
          details: {
            type: 'array',
            items: { oneOf: detailSchemas },
          },
        },
      },
    },
  },
};

interface Sample {
  description: string;
  status: string;
  reason: string;
  message: string;
  metadata?: Record<string, string>;
  details?: object[];
}

const samples: Record<string, Sample> = {
  400: {
    description: 'A field is missing, unknown or out of bounds; `BadRequest` names each one.',
    ...{ status: 'INVALID_ARGUMENT', reason: 'INVALID_ARGUMENT' },
    message: 'modle: is not a known field; perhaps model is meant (line 1, column 2)',
    details: [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [
          { field: 'modle', description: 'is not a known field; perhaps model is meant (line 1, column 2)' },
        ],
      },
    ],
  },
  401: {
    description: 'The credential is missing, unknown, revoked or expired.',
    ...{ status: 'UNAUTHENTICATED', reason: 'CREDENTIAL_MISSING' },
    message: 'Send a credential: Authorization: Bearer <credential>.',
  },
  402: {
    description: 'The wallet cannot pay for the call. Nothing was charged.',
    ...{ status: 'FAILED_PRECONDITION', reason: 'INSUFFICIENT_CREDIT' },
    message: 'Add credit to continue.',
    metadata: { balanceUsd: '0.00', heldUsd: '0.00', neededUsd: '0.000012', minimumTopUpUsd: '5.00' },
  },
  403: {
    description: 'This credential may not call this method.',
    ...{ status: 'PERMISSION_DENIED', reason: 'SCOPE_MISSING' },
    message: 'This credential may not call this method.',
    metadata: { requiredScope: 'chat', credential: 'management_key' },
  },
  404: {
    description: "Nothing by that name belongs to the caller's account.",
    ...{ status: 'NOT_FOUND', reason: 'NOT_FOUND' },
    message: 'There is no such key.',
  },
  409: {
    description:
      'A request with this `Idempotency-Key` is still being worked on, or the state of things does not allow the call; the message says which.',
    ...{ status: 'ABORTED', reason: 'IDEMPOTENCY_IN_FLIGHT' },
    message: 'Ask again in a moment.',
  },
  413: {
    description: 'The body is over the limit, after decompression.',
    ...{ status: 'RESOURCE_EXHAUSTED', reason: 'PAYLOAD_TOO_LARGE' },
    message: 'The body is over the limit.',
    metadata: { limitBytes: '1048576' },
  },
  415: {
    description: 'The body is not JSON in UTF-8.',
    ...{ status: 'INVALID_ARGUMENT', reason: 'UNSUPPORTED_MEDIA_TYPE' },
    message: 'Send Content-Type: application/json.',
  },
  422: {
    description: 'This `Idempotency-Key` was used with another request.',
    ...{ status: 'FAILED_PRECONDITION', reason: 'IDEMPOTENCY_MISMATCH' },
    message: 'This Idempotency-Key was used with another request.',
  },
  424: {
    description: "The provider refused the account's own key; nothing was charged.",
    ...{ status: 'FAILED_PRECONDITION', reason: 'PROVIDER_KEY_REFUSED' },
    message: 'openai refused your key pky_01 (ending in 3fG9) with status 401.',
    metadata: { providerKeyId: 'pky_01', provider: 'openai', lastFour: '3fG9', status: '401' },
  },
  429: {
    description: 'Too many requests; `Retry-After` says when to ask again.',
    ...{ status: 'RESOURCE_EXHAUSTED', reason: 'RATE_LIMITED' },
    message: 'Too many requests.',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1.500s' }],
  },
  502: {
    description: 'Every route to a model failed; nothing was charged.',
    ...{ status: 'UNAVAILABLE', reason: 'UPSTREAM_FAILED' },
    message: 'No model could answer.',
  },
  503: {
    description: 'The service cannot answer now; ask again.',
    ...{ status: 'UNAVAILABLE', reason: 'OVERLOADED' },
    message: 'Too much is in flight. Ask again.',
    details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' }],
  },
  504: {
    description: 'No model answered in time, or the deadline of the caller passed.',
    ...{ status: 'DEADLINE_EXCEEDED', reason: 'UPSTREAM_TIMEOUT' },
    message: 'No model answered in time.',
  },
};

/** A response for each HTTP status that an error can have, by status. */
export const errorResponses: Record<string, JsonSchema> = Object.fromEntries(
  Object.entries(samples).map(([code, sample]) => [code, response(Number(code), sample)]),
);

function response(
  code: number,
  { description, status, reason, message, metadata = {}, details = [] }: Sample,
): JsonSchema {
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain: 'intelligence', metadata };
  const example = { error: { code, status, message, details: [info, ...details] } };
  return {
    description,
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' }, example } },
  };
}
