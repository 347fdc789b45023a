import type { DescFile, DescService, MessageInitShape } from '@bufbuild/protobuf';
import { createRegistry, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, ConnectError, type ServiceImpl } from '@connectrpc/connect';
import type {
  ServerReflection,
  ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from '../../gen/grpc/reflection/v1/reflection_pb.ts';
import type { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.ts';

type Request = Pick<ServerReflectionRequest, 'host' | 'messageRequest'>;
type Reply = MessageInitShape<typeof ServerReflectionResponseSchema>;
type Answer = NonNullable<Reply['messageResponse']>;

/** Limits on one reflection stream. */
export interface ReflectionLimits {
  requests: number;
  /** For descriptors, in replies. */
  bytes: number;
  /** How long it may stay open, in milliseconds. */
  lifeMs: number;
}

/** A tool that describes all of the contract sends some hundred requests, and gets each file once, plus those it requests again. */
export const defaultReflectionLimits: ReflectionLimits = { requests: 512, bytes: 8 * 1024 * 1024, lifeMs: 300_000 };

/**
 * `grpc.reflection`: tools such as grpcurl and `buf curl` learn the contract from it. v1 and v1alpha differ only in their package
 * name, so one implementation serves both. A stream that asks for too much ends with RESOURCE_EXHAUSTED.
 */
export function reflectionServices(services: readonly DescService[], limits = defaultReflectionLimits) {
  const reflection = createReflection(services);
  const v1: ServiceImpl<typeof ServerReflection> = {
    async *serverReflectionInfo(requests, context) {
      const sent = new Set<DescFile>();
      let asked = 0;
      let bytes = 0;
      for await (const request of endingAfter(requests, limits.lifeMs, context.signal)) {
        asked += 1;
        if (asked > limits.requests)
          throw new ConnectError(
            `A stream may ask ${limits.requests} times. Open another one.`,
            Code.ResourceExhausted,
          );
        const answer = reflection(request.messageRequest, sent);
        bytes += bytesOf(answer);
        if (bytes > limits.bytes)
          throw new ConnectError(
            `A stream is sent ${limits.bytes} bytes of descriptors at most. Open another one.`,
            Code.ResourceExhausted,
          );
        yield {
          validHost: request.host,
          originalRequest: { host: request.host, messageRequest: request.messageRequest },
          messageResponse: answer,
        };
      }
    },
  };
  // Replies use the same version's messages as the request; only the types do not reflect that.
  return { v1, v1alpha: v1 as unknown as ServiceImpl<typeof ServerReflectionAlpha> };
}

/** Passes messages on until the time is up; then the stream fails. */
async function* endingAfter<T>(messages: AsyncIterable<T>, lifeMs: number, signal: AbortSignal): AsyncIterable<T> {
  const source = messages[Symbol.asyncIterator]();
  const life = new AbortController();
  const over = new Promise<never>((_resolve, reject) => {
    const timer = setTimeout(
      () => reject(new ConnectError('The stream has reached its time limit. Open another one.', Code.Unavailable)),
      lifeMs,
    );
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { signal: life.signal });
    life.signal.addEventListener('abort', () => clearTimeout(timer));
  });
  // There may be nobody waiting for it.
  over.catch(() => {});
  try {
    for (;;) {
      const step = await Promise.race([source.next(), over]);
      if (step.done) return;
      yield step.value;
    }
  } finally {
    life.abort();
  }
}

function bytesOf(answer: Answer): number {
  if (answer.case !== 'fileDescriptorResponse') return 0;
  let bytes = 0;
  for (const proto of answer.value.fileDescriptorProto ?? []) bytes += proto.length;
  return bytes;
}

type Reflection = (request: Request['messageRequest'], sent: Set<DescFile>) => Answer;

function createReflection(services: readonly DescService[]): Reflection {
  const files = withDependencies(services.map((service) => service.file));
  const registry = createRegistry(...files);
  // Computed once: descriptors do not change.
  const bytes = new Map(files.map((file) => [file, toBinary(FileDescriptorProtoSchema, file.proto)]));
  const imports = new Map(files.map((file) => [file, withDependencies([file])]));
  const byName = new Map(files.map((file) => [`${file.name}.proto`, file]));

  return (request, sent) => {
    switch (request.case) {
      case 'listServices':
        return {
          case: 'listServicesResponse',
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case 'fileByFilename':
        return described(sent, byName.get(request.value), `file ${request.value}`);
      case 'fileContainingSymbol':
        return described(sent, fileOfSymbol(request.value), `symbol ${request.value}`);
      case 'fileContainingExtension': {
        const { containingType, extensionNumber } = request.value;
        const found = extensionsOf(containingType).find(({ number }) => number === extensionNumber);
        return described(sent, found?.file, `extension ${extensionNumber} of ${containingType}`);
      }
      case 'allExtensionNumbersOfType':
        return {
          case: 'allExtensionNumbersResponse',
          value: {
            baseTypeName: request.value,
            extensionNumber: extensionsOf(request.value).map(({ number }) => number),
          },
        };
      case undefined:
        return refused(Code.InvalidArgument, 'The request names nothing to look up.');
    }
  };

  function extensionsOf(typeName: string) {
    return files.flatMap((file) => file.extensions).filter(({ extendee }) => extendee.typeName === typeName);
  }

  function fileOfSymbol(symbol: string): DescFile | undefined {
    const found = registry.get(symbol);
    if (found) return found.file;
    // A member: a method of a service, a field of a message, a value of an enum.
    const parent = registry.get(symbol.slice(0, symbol.lastIndexOf('.')));
    return parent?.file;
  }

  /** The requested file, and those of its imports that the stream has not been sent yet. */
  function described(sent: Set<DescFile>, file: DescFile | undefined, what: string): Answer {
    if (!file) return refused(Code.NotFound, `There is no ${what} here.`);
    const needed = (imports.get(file) ?? []).filter((each) => each === file || !sent.has(each));
    for (const each of needed) sent.add(each);
    return {
      case: 'fileDescriptorResponse',
      value: { fileDescriptorProto: needed.flatMap((each) => bytes.get(each) ?? []) },
    };
  }
}

function refused(errorCode: Code, errorMessage: string): Answer {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}

/** The files and everything they import, each once. */
function withDependencies(roots: readonly DescFile[]): DescFile[] {
  const found = new Set<DescFile>();
  const visit = (file: DescFile): void => {
    if (found.has(file)) return;
    found.add(file);
    for (const dependency of file.dependencies) visit(dependency);
  };
  for (const root of roots) visit(root);
  return [...found];
}
