import { createRegistry, type DescFile, type DescService, type Registry } from '@bufbuild/protobuf';

/** All message types in these services' files: what a `google.protobuf.Any` may contain. */
export function registryOf(services: readonly DescService[]): Registry {
  return createRegistry(...new Set(services.flatMap(({ file }) => filesOf(file))));
}

function filesOf(file: DescFile): DescFile[] {
  return [file, ...file.dependencies.flatMap(filesOf)];
}
