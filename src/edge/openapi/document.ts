import { type DescField, type DescMethod, type DescService, getOption, hasOption } from '@bufbuild/protobuf';
import { MethodOptions_IdempotencyLevel as Idempotency } from '@bufbuild/protobuf/wkt';
import { type MethodRule, manySegments, methodRules, one } from '@intelligence-api/transcoding';
import type { JsonSchema, JsonSchemas } from '../../base/message-schema.ts';
import type { ProtoComments } from '../../base/proto-comments.ts';
import { access, Credential } from '../../gen/intelligence/common/v1/access_pb.ts';
import { IdempotencyKey, idempotency_key } from '../../gen/intelligence/common/v1/idempotency_pb.ts';
import { errorResponses, errorSchemas } from './errors.ts';
import { exampleOf } from './examples.ts';
import { codeSamples } from './samples.ts';
import { type Schemas, schemasOf, used } from './schemas.ts';

export interface OpenApiOptions {
  services: readonly DescService[];
  comments: ProtoComments;
  version: string;
  /** The service's address as its callers see it, with the path prefix; `/` if unknown. */
  serverUrl: string;
}

/** An OpenAPI 3.1 document of the services, with every path that `google.api.http` gives them. */
export function openApiDocument(options: OpenApiOptions): Record<string, unknown> {
  const schemas = schemasOf(options);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const service of options.services) {
    for (const method of service.methods) {
      for (const [index, rule] of methodRules(method).entries()) {
        const path = pathOf(method, rule);
        const operations = paths[path] ?? {};
        paths[path] = operations;
        const httpMethod = rule.httpMethod.toLowerCase();
        const made = operation(method, rule, index, schemas, options.comments);
        const paired = operations[httpMethod];
        operations[httpMethod] = paired ? joined(paired, made) : made;
      }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Intelligence API',
      version: options.version,
      description: introduction,
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: options.serverUrl }],
    tags: [...options.services]
      .sort((a, b) => placeOf(a) - placeOf(b))
      .map((service) => tag(service, options.comments)),
    paths,
    components: {
      schemas: { ...used(paths, { ...schemas.requests.definitions, ...schemas.replies.definitions }), ...errorSchemas },
      responses: errorResponses,
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key, an access token, a management key or an operator token; each operation says which.',
        },
      },
    },
  };
}

const introduction = [
  'Chat and business workflows, paid from prepaid credit. The same methods answer gRPC, gRPC-Web and Connect.',
  'Amounts of money are decimal strings in USD. Errors have one shape, described at the `Error` schema.',
].join('\n\n');

/** What a customer needs first comes first; what is for operators comes last. */
const order = [
  'KeyService',
  'WalletService',
  'ChatService',
  'EmbeddingService',
  'RerankService',
  'WorkflowService',
  'OutcomeService',
  'PulseService',
  'TokenService',
  'ClientService',
  'WebhookService',
  'ProviderKeyService',
  'LimitService',
  'AccountService',
  'OperationsService',
  'AuditService',
];

function placeOf({ name }: DescService): number {
  const place = order.indexOf(name);
  return place < 0 ? order.length : place;
}

interface Operation {
  operationId: string;
  summary: string;
  description: string;
  parameters?: unknown[];
  requestBody?: unknown;
  responses: Record<string, unknown>;
  [other: string]: unknown;
}

function operation(
  method: DescMethod,
  rule: MethodRule,
  index: number,
  { requests, replies }: Schemas,
  comments: ProtoComments,
): Operation {
  const comment = comments.get(`${method.parent.typeName}.${method.name}`) ?? method.name;
  const who = credentialsOf(method);
  const parameters = [
    ...pathParameters(method, rule, requests),
    ...queryParameters(method, rule, requests),
    ...headerParameters(method),
  ];
  return {
    operationId: `${method.parent.name}_${method.name}${index === 0 ? '' : `_${index + 1}`}`,
    tags: [method.parent.name],
    summary: firstSentence(comment),
    description: `${comment}\n\n${who.description}`,
    security: who.isOpen ? [] : [{ bearer: [] }],
    'x-credentials': who.kinds,
    'x-codeSamples': codeSamples({
      verb: rule.httpMethod,
      path: pathOf(method, rule),
      credential: who.isOpen ? undefined : sampleVariables[who.kinds[0] ?? ''],
      headers: keyUse(method) === 'required' ? ['Idempotency-Key'] : [],
      body: rule.body === '' ? undefined : (exampleOf(method, pathFields(rule)) ?? {}),
    }),
    ...(parameters.length > 0 && { parameters }),
    ...(rule.body !== '' && { requestBody: requestBody(method, rule, requests) }),
    responses: {
      200: success(method, rule, replies),
      ...Object.fromEntries(
        Object.keys(errorResponses)
          .filter((status) => applies(status, who, method, rule))
          .map((status) => [status, { $ref: `#/components/responses/${status}` }]),
      ),
    },
  };
}

/** Where samples get the credential: from the environment, never from the code. */
const sampleVariables: Readonly<Record<string, string>> = {
  api_key: 'API_KEY',
  access_token: 'ACCESS_TOKEN',
  management_key: 'MANAGEMENT_KEY',
  operator: 'OPERATOR_TOKEN',
};

function pathFields({ template }: MethodRule): Set<string> {
  return new Set(template.variables.map(({ fieldPath }) => fieldPath[0] ?? ''));
}

// A unary and a streaming method on one path are one operation: `Accept` chooses.
function joined(a: Operation, b: Operation): Operation {
  const [unary, streaming] = contentOf(a)['application/json'] ? [a, b] : [b, a];
  const response = unary.responses[200] as { content: object };
  const content = { ...response.content, ...contentOf(streaming) };
  return {
    ...unary,
    description: `${unary.description}\n\nWith \`Accept: text/event-stream\`: ${streaming.summary}`,
    responses: { ...unary.responses, 200: { ...response, content } },
  };
}

function contentOf(operation: Operation): Record<string, unknown> {
  return (operation.responses[200] as { content: Record<string, unknown> }).content;
}

function pathOf(method: DescMethod, { template }: MethodRule): string {
  const parts = template.segments.map((segment) => (segment === one || segment === manySegments ? '*' : segment));
  for (const variable of template.variables.toReversed())
    parts.splice(variable.start, variable.end - variable.start, `{${jsonPath(method, variable.fieldPath)}}`);
  return `/${parts.map(String).join('/')}${template.verb && `:${template.verb}`}`;
}

function pathParameters(method: DescMethod, { template }: MethodRule, schemas: JsonSchemas): unknown[] {
  return template.variables.map(({ fieldPath }) => ({
    ...parameter(jsonPath(method, fieldPath), 'path', fieldAt(method, fieldPath), schemas),
    required: true,
  }));
}

function queryParameters(method: DescMethod, { template, body }: MethodRule, schemas: JsonSchemas): unknown[] {
  if (body === '*') return [];
  const taken = new Set([body, ...template.variables.map(({ fieldPath }) => fieldPath[0])]);
  return method.input.fields
    .filter((field) => !taken.has(field.name))
    .flatMap((field) => {
      // Each field of a message is a parameter, such as `metadata.key`; nothing in the contract nests deeper here.
      if (isPlainMessage(field))
        return field.message.fields
          .filter(isQueryable)
          .map((part) => parameter(`${field.jsonName}.${part.jsonName}`, 'query', part, schemas));
      if (!isQueryable(field)) return [];
      const required = schemas.isRequired(field) && { required: true };
      return [{ ...parameter(field.jsonName, 'query', field, schemas), ...required }];
    });
}

function isPlainMessage(field: DescField): field is DescField & { fieldKind: 'message' } {
  return field.fieldKind === 'message' && !field.message.typeName.startsWith('google.protobuf.');
}

function isQueryable(field: DescField): boolean {
  if (field.fieldKind === 'map') return false;
  return !field.message || ['google.protobuf.Timestamp', 'google.protobuf.Duration'].includes(field.message.typeName);
}

function parameter(name: string, place: string, field: DescField, schemas: JsonSchemas): JsonSchema {
  const { description, readOnly: _, ...schema } = schemas.field(field);
  return { name, in: place, ...(description !== undefined && { description }), schema };
}

function headerParameters(method: DescMethod): unknown[] {
  const use = keyUse(method);
  if (use === undefined) return [];
  const description = 'Names the request, so that a repeat returns the stored reply and is not executed twice.';
  const schema = { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' };
  return [
    { name: 'Idempotency-Key', in: 'header', ...(use === 'required' && { required: true }), description, schema },
  ];
}

/** Whether the method takes an `Idempotency-Key`; undefined if it ignores one. */
function keyUse(method: DescMethod): 'optional' | 'required' | undefined {
  const option = hasOption(method, idempotency_key) ? getOption(method, idempotency_key) : IdempotencyKey.UNSPECIFIED;
  if (option === IdempotencyKey.REQUIRED) return 'required';
  const isUnsafe = method.idempotency === Idempotency.IDEMPOTENCY_UNKNOWN;
  return option === IdempotencyKey.OPTIONAL || isUnsafe ? 'optional' : undefined;
}

function requestBody(method: DescMethod, rule: MethodRule, schemas: JsonSchemas): unknown {
  const inPath = pathFields(rule);
  const example = exampleOf(method, inPath);
  const field = method.input.fields.find((each) => each.name === rule.body);
  const whole = inPath.size > 0 ? schemas.object(method.input, inPath) : schemas.message(method.input);
  const schema = field ? schemas.field(field) : whole;
  return {
    required:
      field !== undefined || (schemas.object(method.input, inPath).required as string[] | undefined) !== undefined,
    content: { 'application/json': { schema, ...(example !== undefined && { example }) } },
  };
}

function success(method: DescMethod, rule: MethodRule, schemas: JsonSchemas): unknown {
  const field = method.output.fields.find((each) => each.name === rule.responseBody);
  const schema = field ? schemas.field(field) : schemas.message(method.output);
  if (method.methodKind === 'unary') return { description: 'The reply.', content: { 'application/json': { schema } } };
  const file = (field?.message ?? method.output).typeName === 'google.api.HttpBody';
  if (file)
    return {
      description: 'A file, of the type that the request asks for.',
      content: { 'text/csv': { schema: { type: 'string' } }, 'application/jsonl': { schema: { type: 'string' } } },
    };
  const line = { type: 'object', properties: { result: schema }, required: ['result'] };
  return {
    description: 'The messages as they come.',
    content: {
      'text/event-stream': streamed('Server-sent events; the `data` of each is a message.', schema),
      'application/x-ndjson': streamed('A message a line.', line),
    },
  };
}

/** A stream is text, and its content is something else: its types must not mix with those of a whole reply. */
function streamed(description: string, contentSchema: JsonSchema) {
  return { schema: { type: 'string', description, contentMediaType: 'application/json', contentSchema } };
}

interface Who {
  isOpen: boolean;
  /** The credentials that may call, most common first. */
  kinds: string[];
  isCharged: boolean;
  description: string;
}

const credentialNames: Record<Credential, string> = {
  [Credential.UNSPECIFIED]: '',
  [Credential.NONE]: 'none',
  [Credential.OPERATOR]: 'an operator token',
  [Credential.MANAGEMENT_KEY]: 'a management key',
  [Credential.API_KEY]: 'an API key',
  [Credential.ACCESS_TOKEN]: 'an access token',
};

const kindNames: Readonly<Partial<Record<Credential, string>>> = {
  [Credential.OPERATOR]: 'operator',
  [Credential.MANAGEMENT_KEY]: 'management_key',
  [Credential.API_KEY]: 'api_key',
  [Credential.ACCESS_TOKEN]: 'access_token',
};

function credentialsOf(method: DescMethod): Who {
  const rule = hasOption(method, access) ? getOption(method, access) : undefined;
  const credentials: Credential[] = rule?.credentials ?? [];
  const scope = rule?.scope ?? '';
  const names = credentials.map((each) => credentialNames[each]).join(', ');
  const isOpen = credentials.includes(Credential.NONE);
  const scoped = scope === '' ? '' : ` Scope: \`${scope}\`.`;
  return {
    isOpen,
    kinds: Object.keys(sampleVariables).filter((kind) => credentials.some((each) => kindNames[each] === kind)),
    isCharged: scope !== '' && method.idempotency === Idempotency.IDEMPOTENCY_UNKNOWN,
    description: isOpen ? 'No credential is needed.' : `Credential: ${names}.${scoped}`,
  };
}

function applies(status: string, who: Who, method: DescMethod, { body, template }: MethodRule): boolean {
  switch (status) {
    case '401':
    case '403':
      return !who.isOpen;
    case '404':
      return template.variables.length > 0;
    case '409':
      return keyUse(method) !== undefined || method.idempotency !== Idempotency.NO_SIDE_EFFECTS;
    case '422':
      return keyUse(method) !== undefined;
    case '402':
    case '424':
    case '502':
    case '504':
      return who.isCharged;
    case '413':
    case '415':
      return body !== '';
    default:
      return true;
  }
}

function tag(service: DescService, comments: ProtoComments): JsonSchema {
  const description = comments.get(service.typeName);
  return { name: service.name, ...(description !== undefined && { description }) };
}

function fieldAt(method: DescMethod, path: readonly string[]): DescField {
  let field: DescField | undefined;
  let desc: DescField['message'] = method.input;
  for (const name of path) {
    field = desc?.fields.find((each) => each.name === name);
    desc = field?.message;
  }
  if (!field) throw new Error(`${method}: no field ${path.join('.')}`);
  return field;
}

function jsonPath(method: DescMethod, path: readonly string[]): string {
  return path.map((_, index) => fieldAt(method, path.slice(0, index + 1)).jsonName).join('.');
}

function firstSentence(comment: string): string {
  const text = comment.replaceAll('\n', ' ');
  const end = text.search(/[.](\s|$)/);
  return end < 0 ? text : text.slice(0, end);
}
