import { createRegistry, type DescFile, type DescService, type Registry } from '@bufbuild/protobuf';

/** All message types that the files of these services know: what may stand in a `google.protobuf.Any`. */
export function registryOf(services: readonly DescService[]): Registry {
  return createRegistry(...new Set(services.flatMap(({ file }) => filesOf(file))));
}

function filesOf(file: DescFile): DescFile[] {
  return [file, ...file.dependencies.flatMap(filesOf)];
}
