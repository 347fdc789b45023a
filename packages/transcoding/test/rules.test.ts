import { create, createFileRegistry, type DescMethod, fromJson, setExtension } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  MethodDescriptorProtoSchema,
  MethodOptionsSchema,
  ServiceDescriptorProtoSchema,
} from '@bufbuild/protobuf/wkt';
import Fastify from 'fastify';
import { describe, expect, test } from 'vitest';
import { EchoService } from '../../../test/gen/intelligence/test/v1/echo_pb.ts';
import { fastifyTranscoding } from '../src/fastify.ts';
import { http } from '../src/gen/google/api/annotations_pb.ts';
import { HttpRuleSchema } from '../src/gen/google/api/http_pb.ts';
import { parseTemplate } from '../src/template.ts';
import { echoRegistry } from './server.ts';

type Rule = Parameters<typeof fromJson<typeof HttpRuleSchema>>[1];

// What the fields are: a message with each kind that a rule may name.
const message = fromJson(FileDescriptorProtoSchema, {
  name: 'rules.proto',
  package: 'rules',
  syntax: 'proto3',
  messageType: [
    {
      name: 'Request',
      field: [
        { name: 'name', number: 1, type: 'TYPE_STRING', label: 'LABEL_OPTIONAL', jsonName: 'name' },
        { name: 'other', number: 2, type: 'TYPE_STRING', label: 'LABEL_OPTIONAL', jsonName: 'other' },
        { name: 'list', number: 3, type: 'TYPE_STRING', label: 'LABEL_REPEATED', jsonName: 'list' },
        {
          ...{ name: 'inner', number: 4, type: 'TYPE_MESSAGE', label: 'LABEL_OPTIONAL', jsonName: 'inner' },
          typeName: '.rules.Request',
        },
      ],
    },
  ],
});

function methodsOf(...rules: { rule: Rule; client?: boolean; server?: boolean }[]): DescMethod[] {
  const file = create(FileDescriptorProtoSchema, {
    ...message,
    service: [
      create(ServiceDescriptorProtoSchema, {
        name: 'Service',
        method: rules.map(({ rule, client, server }, index) => {
          const options = create(MethodOptionsSchema);
          setExtension(options, http, fromJson(HttpRuleSchema, rule));
          return create(MethodDescriptorProtoSchema, {
            ...{ name: `Method${index}`, inputType: '.rules.Request', outputType: '.rules.Request', options },
            ...{ clientStreaming: client ?? false, serverStreaming: server ?? false },
          });
        }),
      }),
    ],
  });
  const service = createFileRegistry(file, () => undefined).getService('rules.Service');
  return service?.methods ?? [];
}

async function start(methods: readonly DescMethod[]): Promise<void> {
  const app = Fastify({ pluginTimeout: 1000 });
  app.register(fastifyTranscoding<void>, {
    methods,
    registry: echoRegistry,
    limits: { bodyBytes: 1000, timeoutMsMax: 1000 },
    admit: () => undefined,
    unary: async (_method, request) => request,
    serverStreaming: async function* (_method, request) {
      yield request;
    },
    renderError: () => ({ status: 500, body: '{}' }),
  });
  try {
    await app.ready();
  } finally {
    await app.close();
  }
}

describe('a rule that cannot be served stops the start, naming the method', () => {
  test.each<[string, Rule, string]>([
    ['no path', {}, 'no path'],
    ['an empty path', { get: '' }, 'expected "/"'],
    ['no leading slash', { get: 'v1' }, 'expected "/"'],
    ['an empty segment', { get: '/v1//a' }, 'expected a segment'],
    ['a trailing slash', { get: '/v1/' }, 'expected a segment'],
    ['a verb without a segment', { get: '/a/:verb' }, 'expected a segment'],
    ['an empty verb', { get: '/a:' }, 'expected a verb'],
    ['two verbs', { get: '/a:b:c' }, 'unexpected character'],
    ['a segment after the verb', { get: '/a:b/c' }, 'unexpected character'],
    ['"**" that is not last', { get: '/**/a' }, '"**" must be the last segment'],
    ['"**" that is not last, in a variable', { get: '/{name=**}/a' }, '"**" must be the last segment'],
    ['"**" within a variable that goes on', { get: '/{name=**/a}' }, '"**" must be the last segment'],
    ['three stars', { get: '/***' }, 'unexpected character'],
    ['a star with text', { get: '/a*' }, 'unexpected character'],
    ['a nested variable', { get: '/{name={other}}' }, 'a variable within a variable'],
    ['an open variable', { get: '/{name' }, 'expected "}"'],
    ['a nameless variable', { get: '/{}' }, 'not a field path'],
    ['a variable with a dot at its end', { get: '/{name.}' }, 'not a field path'],
    ['a variable twice', { get: '/{name}/{name}' }, 'stands twice'],
    ['a query in the path', { get: '/a?b' }, 'unexpected character'],
    ['an escape in the path', { get: '/a%20b' }, 'unexpected character'],
    ['an unknown field', { get: '/{nothing}' }, '"nothing" is not a known field'],
    ['an unknown nested field', { get: '/{inner.nothing}' }, 'is not a known field'],
    ['a field of a string', { get: '/{name.a}' }, 'is not a known field'],
    ['a repeated variable', { get: '/{list}' }, 'must be one scalar'],
    ['a message as a variable', { get: '/{inner}' }, 'is a message'],
    ['GET with a body', { get: '/a', body: '*' }, 'GET has no body'],
    ['DELETE with a body', { delete: '/a', body: 'inner' }, 'DELETE has no body'],
    ['an unknown body field', { post: '/a', body: 'nothing' }, '"nothing" is not in rules.Request'],
    ['a nested body field', { post: '/a', body: 'inner.name' }, '"inner.name" is not in rules.Request'],
    ['a body field that the path sets', { post: '/{name}', body: 'name' }, 'the path and the body both set'],
    ['a body field that the path reaches into', { post: '/{inner.name}', body: 'inner' }, 'both set'],
    ['an unknown reply field', { get: '/a', responseBody: 'nothing' }, '"nothing" is not a field'],
    ['an unknown custom kind', { custom: { kind: 'BREW', path: '/a' } }, '"BREW" is not one of'],
    ['a selector', { selector: 'x', get: '/a' }, 'selector'],
    [
      'bindings within bindings',
      { get: '/a', additionalBindings: [{ get: '/b', additionalBindings: [{ get: '/c' }] }] },
      'additional_bindings',
    ],
    ['a duplicate of its own', { get: '/a', additionalBindings: [{ get: '/a' }] }, 'leads to'],
    ['a wrong additional binding', { get: '/a', additionalBindings: [{ get: '/{x}' }] }, 'not a known field'],
  ])('%s', async (_, rule, problem) => {
    const failure = await start(methodsOf({ rule })).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(failure).toContain('Service.Method0');
    expect(failure).toContain(problem);
  });

  test.each<[string, { rule: Rule; client?: boolean; server?: boolean }[], string]>([
    ['two unary methods on one path', [{ rule: { get: '/a' } }, { rule: { get: '/a' } }], 'leads to'],
    ['the same but for the name', [{ rule: { get: '/{name}' } }, { rule: { get: '/{other}' } }], 'leads to'],
    ['the same but for the braces', [{ rule: { get: '/{name}' } }, { rule: { get: '/*' } }], 'leads to'],
    [
      'two streams on one path',
      [
        { rule: { get: '/a' }, server: true },
        { rule: { get: '/a' }, server: true },
      ],
      'leads to',
    ],
    [
      'neither is more specific',
      [{ rule: { get: '/*/b' } }, { rule: { get: '/a/*' } }],
      'is ambiguous with the route of rpc rules.Service.Method0',
    ],
    [
      'neither is more specific, with many segments',
      [{ rule: { get: '/a/**' } }, { rule: { get: '/*/b' } }],
      'is ambiguous',
    ],
  ])('%s', async (_, rules, problem) => {
    const failure = await start(methodsOf(...rules)).then(
      () => 'it started',
      (error: Error) => error.message,
    );
    expect(failure).toContain('Service.Method1');
    expect(failure).toContain(problem);
  });

  test('a method that streams its requests', async () => {
    await expect(start(methodsOf({ rule: { post: '/a', body: '*' }, client: true }))).rejects.toThrow(
      /Service\.Method0: a method that streams requests/,
    );
  });
});

describe('rules that can be served', () => {
  test.each<[string, { rule: Rule; server?: boolean }[]]>([
    ['one unary and one streaming method on a path', [{ rule: { get: '/a' } }, { rule: { get: '/a' }, server: true }]],
    ['literals beside variables', [{ rule: { get: '/a/{name}' } }, { rule: { get: '/a/b' } }]],
    ['verbs beside variables', [{ rule: { post: '/{name}:a' } }, { rule: { post: '/{name}:b' } }]],
    ['one path, two HTTP methods', [{ rule: { get: '/a' } }, { rule: { post: '/a', body: '*' } }]],
    ['one segment beside many', [{ rule: { get: '/a/*' } }, { rule: { get: '/a/**' } }]],
    ['different lengths', [{ rule: { get: '/a/*' } }, { rule: { get: '/*/b/c' } }]],
  ])('%s', async (_, rules) => {
    await start(methodsOf(...rules));
  });

  test('all of the echo service', () => start(EchoService.methods));
});

test('a template says what its variables capture', () => {
  expect(parseTemplate('/v1/{name=shelves/*/books/*}/{other}:verb')).toMatchObject({
    variables: [
      { fieldPath: ['name'], start: 1, end: 5, multiple: true },
      { fieldPath: ['other'], start: 5, end: 6, multiple: false },
    ],
    verb: 'verb',
  });
});
