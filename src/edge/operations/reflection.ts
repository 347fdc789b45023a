import type { DescFile, DescService, MessageInitShape } from '@bufbuild/protobuf';
import { createRegistry, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import { Code, type ServiceImpl } from '@connectrpc/connect';
import type {
  ServerReflection,
  ServerReflectionRequest,
  ServerReflectionResponseSchema,
} from '../../gen/grpc/reflection/v1/reflection_pb.ts';
import type { ServerReflection as ServerReflectionAlpha } from '../../gen/grpc/reflection/v1alpha/reflection_pb.ts';

type Request = Pick<ServerReflectionRequest, 'host' | 'messageRequest'>;
type Reply = MessageInitShape<typeof ServerReflectionResponseSchema>;
type Answer = NonNullable<Reply['messageResponse']>;

/**
 * `grpc.reflection`: tools such as grpcurl and `buf curl` learn the contract from it. v1 and v1alpha differ in their
 * package name alone, so one answer serves both.
 */
export function reflectionServices(services: readonly DescService[]) {
  const answer = createReflection(services);
  const v1: ServiceImpl<typeof ServerReflection> = {
    async *serverReflectionInfo(requests) {
      for await (const request of requests)
        yield {
          validHost: request.host,
          originalRequest: { host: request.host, messageRequest: request.messageRequest },
          messageResponse: answer(request.messageRequest),
        };
    },
  };
  // What comes in goes out in the same version's messages; the types alone do not know it.
  return { v1, v1alpha: v1 as unknown as ServiceImpl<typeof ServerReflectionAlpha> };
}

function createReflection(services: readonly DescService[]): (request: Request['messageRequest']) => Answer {
  const files = withDependencies(services.map((service) => service.file));
  const registry = createRegistry(...files);
  const byName = new Map(files.map((file) => [`${file.name}.proto`, file]));

  return (request) => {
    switch (request.case) {
      case 'listServices':
        return {
          case: 'listServicesResponse',
          value: { service: services.map(({ typeName }) => ({ name: typeName })) },
        };
      case 'fileByFilename':
        return described(byName.get(request.value), `file ${request.value}`);
      case 'fileContainingSymbol':
        return described(fileOfSymbol(request.value), `symbol ${request.value}`);
      case 'fileContainingExtension': {
        const { containingType, extensionNumber } = request.value;
        const found = extensionsOf(containingType).find(({ number }) => number === extensionNumber);
        return described(found?.file, `extension ${extensionNumber} of ${containingType}`);
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
        return refused(Code.InvalidArgument, 'The request asks for nothing.');
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

  function described(file: DescFile | undefined, what: string): Answer {
    if (!file) return refused(Code.NotFound, `There is no ${what} here.`);
    return {
      case: 'fileDescriptorResponse',
      value: {
        fileDescriptorProto: withDependencies([file]).map(({ proto }) => toBinary(FileDescriptorProtoSchema, proto)),
      },
    };
  }
}

function refused(errorCode: Code, errorMessage: string): Answer {
  return { case: 'errorResponse', value: { errorCode, errorMessage } };
}

/** The files and all that they import, each once. */
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
