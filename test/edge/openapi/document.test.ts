import { readFileSync } from 'node:fs';
import { create, createRegistry, type DescMethod, type DescService } from '@bufbuild/protobuf';
import { createValidator } from '@bufbuild/protovalidate';
import { methodRules } from '@intelligence-api/transcoding';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import Fastify from 'fastify';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { JsonReaders, type Local } from '../../../packages/transcoding/src/json-message.ts';
import { JsonText } from '../../../packages/transcoding/src/json-text.ts';
import { JsonSchemas } from '../../../src/base/message-schema.ts';
import { readProtoComments } from '../../../src/base/proto-comments.ts';
import { exampleOf } from '../../../src/edge/openapi/examples.ts';
import { openApiDocument, registerOpenApi } from '../../../src/edge/openapi/index.ts';
import { AccountService } from '../../../src/gen/intelligence/account/v1/account_service_pb.ts';
import { ChatRequestSchema, ChatService } from '../../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { EmbeddingService } from '../../../src/gen/intelligence/embedding/v1/embedding_service_pb.ts';
import { KeyService } from '../../../src/gen/intelligence/key/v1/key_service_pb.ts';
import { PulseService } from '../../../src/gen/intelligence/pulse/v1/pulse_service_pb.ts';
import { RerankService } from '../../../src/gen/intelligence/rerank/v1/rerank_service_pb.ts';
import { WalletService } from '../../../src/gen/intelligence/wallet/v1/wallet_service_pb.ts';
import { WorkflowService } from '../../../src/gen/intelligence/workflow/v1/workflow_service_pb.ts';
import { KindsSchema } from '../../gen/intelligence/test/v1/echo_pb.ts';

const services: DescService[] = [
  ChatService,
  EmbeddingService,
  RerankService,
  WorkflowService,
  PulseService,
  KeyService,
  WalletService,
  AccountService,
];
const comments = readProtoComments(readFileSync(new URL('../../../src/gen/descriptors.binpb', import.meta.url)));
// biome-ignore lint/suspicious/noExplicitAny: a document is walked here as any JSON
const document = openApiDocument({ services, comments, version: '0.1.0', serverUrl: '/' }) as any;

test('the document is OpenAPI 3.1', async () => {
  const result = await new Validator().validate(structuredClone(document));
  expect(result.errors).toBeUndefined();
  expect(result.valid).toBe(true);
});

test('every reference leads somewhere', () => {
  const names = new Set<string>();
  JSON.stringify(document, (key, value) => {
    if (key === '$ref') names.add(value);
    return value;
  });
  for (const name of names) {
    const [, ...path] = name.split('/');
    expect(
      path.reduce((at, step) => at?.[step], document),
      name,
    ).toBeDefined();
  }
  expect(names.size).toBeGreaterThan(20);
});

test('every rule of every method is a path, with words', () => {
  for (const method of services.flatMap((service) => service.methods)) {
    expect(methodRules(method).length, method.name).toBeGreaterThan(0);
    expect(comments.get(`${method.parent.typeName}.${method.name}`), method.name).toBeTruthy();
  }
  for (const operations of Object.values<Record<string, { description: string }>>(document.paths))
    for (const operation of Object.values(operations)) expect(operation.description.length).toBeGreaterThan(20);
});

test('chat says what it takes, who may call it, what it costs to fail', () => {
  const chat = document.paths['/api/v1/assistant/chat'].post;
  expect(Object.keys(chat.responses[200].content)).toContain('application/json');
  expect(chat.security).toEqual([{ bearer: [] }]);
  expect(chat.description).toContain('an API key');
  expect(chat.responses[402].$ref).toBe('#/components/responses/402');
  const schema = document.components.schemas['intelligence.chat.v1.ChatRequest'];
  expect(schema.required).toContain('messages');
  expect(schema.properties.messages).toMatchObject({ type: 'array', minItems: 1, maxItems: 2048 });
  expect(schema.properties.messages.description).toContain('conversation');
});

test('the fields of a message within a query are parameters', () => {
  const { parameters } = document.paths['/v1/charges'].get;
  const names = parameters.map(({ name }: { name: string }) => name);
  expect(names.slice(0, 5)).toEqual(['idempotencyKey', 'metadata.key', 'metadata.value', 'pageSize', 'pageToken']);
  expect(parameters[2]).toMatchObject({ in: 'query', schema: { type: 'string', maxLength: 512 } });
  expect(parameters[1]).not.toHaveProperty('required');
});

test('what the path sets is not in the body', () => {
  const credit = document.paths['/v1/accounts/{accountId}/credits'].post;
  expect(credit.parameters[0]).toMatchObject({ name: 'accountId', in: 'path', required: true });
  expect(Object.keys(credit.requestBody.content['application/json'].schema.properties)).toEqual([
    'amountUsd',
    'reference',
    'reason',
  ]);
});

describe('examples are taken as they stand', () => {
  const readers = new JsonReaders(createRegistry());
  const validator = createValidator();
  const withBody = services.flatMap((service) => service.methods.filter((method) => bodyOf(method) === '*'));
  test.each(withBody.map((method) => [method.name, method] as const))('%s', (_, method) => {
    const message = create(method.input) as unknown as Local;
    const inPath = methodRules(method)[0]?.template.variables.map(({ fieldPath }) => fieldPath[0]) ?? [];
    const fromPath = method.input.fields
      .filter((field) => inPath.includes(field.name))
      // Of a closed list of words, the path takes one.
      .map((field) => [field.jsonName, field.jsonName === 'metric' ? 'error_rate' : 'key_1']);
    const body = { ...(exampleOf(method, new Set(inPath as string[])) as object), ...Object.fromEntries(fromPath) };
    readers.message(method.input)(new JsonText(JSON.stringify(body), 100), message);
    const { kind, violations, error } = validator.validate(method.input, message);
    expect(kind, `${error} ${violations?.map((violation) => violation.toString())}`).toBe('valid');
  });
});

function bodyOf(method: DescMethod): string | undefined {
  return methodRules(method)[0]?.body;
}

describe('schemas of messages', () => {
  test('stand alone and say what is wrong', () => {
    const schema = new JsonSchemas({ closed: true, isRequired: (field) => field.name === 'messages' });
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const check = ajv.compile(schema.standalone(ChatRequestSchema));
    expect(check(exampleOf(ChatService.method.chat))).toBe(true);
    expect(check({ messages: [] })).toBe(false);
    expect(check({})).toBe(false);
    expect(check({ messages: [{ role: 'user', content: 'a' }], unknown: 1 })).toBe(false);
  });

  test('take every kind of field', () => {
    const ajv = new Ajv2020({ strict: false });
    formats.default(ajv);
    const check = ajv.compile(new JsonSchemas().standalone(KindsSchema));
    expect(check({ int32: 5, int64: '5', color: 'COLOR_RED', time: '2026-01-01T00:00:00Z', labels: { a: 'b' } })).toBe(
      true,
    );
    expect(check({ nested: { inner: { id: 'a' } }, value: [1], object: {}, wrappedText: 'a', data: 'aGk=' })).toBe(
      true,
    );
    for (const wrong of [
      { int32: 2 ** 31 },
      { color: 'GREEN' },
      { nested: { id: 1 } },
      { choiceText: 'a', choiceInt: 1 },
    ])
      expect(check(wrong), JSON.stringify(wrong)).toBe(false);
  });
});

describe('served', () => {
  const app = Fastify();
  beforeAll(async () => {
    registerOpenApi(app, { services, pathPrefix: '' });
    await app.ready();
  });
  afterAll(() => app.close());

  test('the document', async () => {
    const reply = await app.inject('/openapi.json');
    expect(reply.json().openapi).toBe('3.1.0');
    const again = await app.inject({ url: '/openapi.json', headers: { 'if-none-match': String(reply.headers.etag) } });
    expect(again.statusCode).toBe(304);
  });

  test('a page that runs only its own script', async () => {
    const page = await app.inject('/docs');
    expect(page.headers['content-security-policy']).toContain("default-src 'none'");
    expect(page.body).not.toMatch(/<script(?![^>]*src=)|\son\w+=|style=|https?:\/\//);
    for (const [, path] of page.body.matchAll(/(?:src|href)="([^"#]+)"/g))
      expect((await app.inject(`/${path}`)).statusCode, path).toBe(200);
  });
});
