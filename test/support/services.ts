import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { DescMethod, DescService } from '@bufbuild/protobuf';

/** Every service of the contract, found where the generator writes them, so that new ones are included automatically. */
export async function contractServices(): Promise<DescService[]> {
  const folder = fileURLToPath(new URL('../../src/gen/intelligence/', import.meta.url));
  const files = globSync('*/v1/*_service_pb.ts', { cwd: folder }).sort();
  const modules = await Promise.all(files.map((file) => import(`${folder}${file}`)));
  return modules.flatMap((module: Record<string, unknown>) => Object.values(module).filter(isService));
}

/** `account.v1.AccountService/CreateAccount`. */
export function methodName(method: DescMethod): string {
  return `${method.parent.typeName.replace(/^intelligence\./, '')}/${method.name}`;
}

function isService(value: unknown): value is DescService {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'service';
}
