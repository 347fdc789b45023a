import { isUtf8 } from 'node:buffer';
import { create, type DescMethod, type DescService, type Message, type MessageShape } from '@bufbuild/protobuf';
import { StringValueSchema } from '@bufbuild/protobuf/wkt';
import { type ConnectRouter, createConnectRouter, type HandlerContext, type ServiceImpl } from '@connectrpc/connect';
import type { UniversalHandler, UniversalServerRequest } from '@connectrpc/connect/protocol';
import { RestError } from '@intelligence-api/transcoding';
import type { JsonCodec } from '@intelligence-api/transcoding/parts';
import { FailureError, invalid } from '../base/failure.ts';
import { refusedMessage } from './bounded-messages.ts';

export interface JsonFormat {
  codecOf(method: DescMethod): JsonCodec;
  /** The caller's error when a request message can't be read or the reply can't be printed. */
  refuse(error: unknown, context: HandlerContext): unknown;
}

type RouterOptions = NonNullable<Parameters<typeof createConnectRouter>[0]>;
type Text = MessageShape<typeof StringValueSchema>;

/**
 * A router that serves each method in binary form as `router` does, and in JSON with the reader and printer of the JSON paths,
 * which work on the text itself. Connect only sees the result of `JSON.parse`, with numbers already rounded and invalid UTF-8
 * replaced. It has no hook for another codec, so JSON messages pass through it as text (`StringValue`) and are read and printed
 * around the handler. Framing, compression and limits stay with Connect.
 */
export function withJson(router: ConnectRouter, options: RouterOptions, format: JsonFormat): ConnectRouter {
  const texts = createConnectRouter({ ...options, jsonOptions: { ...options.jsonOptions, ...textOptions } });
  const both: ConnectRouter = {
    handlers: router.handlers,
    service(service, implementation) {
      const start = router.handlers.length;
      router.service(service, implementation);
      texts.service(textService(service), textImplementation(service, implementation, format));
      texts.handlers.slice(start).forEach((text, index) => {
        const at = start + index;
        router.handlers[at] = byFormat(router.handlers[at] as UniversalHandler, text);
      });
      return both;
    },
    rpc() {
      throw new Error('methods are registered by their service');
    },
  };
  return both;
}

/** Passes text through Connect's JSON reader and printer. */
const textOptions = {
  textDecoder: {
    decode(bytes: Uint8Array): string {
      if (!isUtf8(bytes)) throw refusedMessage(invalid('body', 'must be UTF-8'));
      return JSON.stringify(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString());
    },
  },
  textEncoder: {
    encode: (json: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(JSON.parse(json) as string),
  },
};

function byFormat(binary: UniversalHandler, text: UniversalHandler): UniversalHandler {
  const { service, method, requestPath, supportedContentType, protocolNames, allowedMethods } = binary;
  return Object.assign((request: UniversalServerRequest) => (isJson(request) ? text : binary)(request), {
    ...{ service, method, requestPath, supportedContentType, protocolNames, allowedMethods },
  });
}

function isJson({ method, url, header }: UniversalServerRequest): boolean {
  if (method === 'GET') return new URL(url).searchParams.get('encoding') === 'json';
  return /\bjson\b/i.test(header.get('content-type') ?? '');
}

function textService(service: DescService): DescService {
  const methods = service.methods.map((method) => ({
    ...{ ...method, input: StringValueSchema, output: StringValueSchema },
  })) as DescMethod[];
  return { ...service, methods, method: Object.fromEntries(methods.map((method) => [method.localName, method])) };
}

function textImplementation<D extends DescService>(
  service: D,
  implementation: Partial<ServiceImpl<D>>,
  format: JsonFormat,
): Partial<ServiceImpl<DescService>> {
  const handlers = implementation as Record<string, Handler | undefined>;
  return Object.fromEntries(
    service.methods.flatMap((method) => {
      const handler = handlers[method.localName]?.bind(implementation);
      return handler ? [[method.localName, textHandler(method, handler, format)]] : [];
    }),
  ) as never;
}

type Input = Message | AsyncIterable<Message>;
type Output = Promise<Message> | AsyncIterable<Message>;
type Handler = (input: Input, context: HandlerContext) => Output;

function textHandler(method: DescMethod, handler: Handler, { codecOf, refuse }: JsonFormat) {
  const codec = codecOf(method);
  const guarded = <T>(context: HandlerContext, work: () => T): T => {
    try {
      return work();
    } catch (error) {
      throw refuse(error instanceof RestError ? new FailureError(error.problem) : error, context);
    }
  };
  const read = (text: Text, context: HandlerContext) => guarded(context, () => codec.read(text.value));
  const print = (message: Message, context: HandlerContext) =>
    guarded(context, () => create(StringValueSchema, { value: codec.print(create(method.output, message)) }));
  const takesStream = method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming';
  const inputOf = (input: Text | AsyncIterable<Text>, context: HandlerContext): Input =>
    takesStream ? mapped(input as AsyncIterable<Text>, read, context) : read(input as Text, context);

  if (method.methodKind === 'unary' || method.methodKind === 'client_streaming')
    return async (input: Text | AsyncIterable<Text>, context: HandlerContext) =>
      print(await (handler(inputOf(input, context), context) as Promise<Message>), context);
  return async function* (input: Text | AsyncIterable<Text>, context: HandlerContext) {
    yield* mapped(handler(inputOf(input, context), context) as AsyncIterable<Message>, print, context);
  };
}

async function* mapped<A, B>(
  messages: AsyncIterable<A>,
  map: (message: A, context: HandlerContext) => B,
  context: HandlerContext,
): AsyncIterable<B> {
  for await (const message of messages) yield map(message, context);
}
