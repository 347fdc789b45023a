import { type DescField, type DescMessage, type DescMethod, getOption, hasOption } from '@bufbuild/protobuf';
import { methodRules } from '@intelligence-api/transcoding';
import { always_set } from '../../src/gen/intelligence/common/v1/replies_pb.ts';
import { contractServices } from './services.ts';

interface Route {
  verb: string;
  path: RegExp;
  literals: number;
  method: DescMethod;
}

let routes: Promise<Route[]> | undefined;

/** The fields that a reply lacks although the contract says they are always there (`always_set`), by place; nothing for paths without a method. */
export async function missingFields(verb: string, target: string, body: unknown): Promise<string[]> {
  routes ??= allRoutes();
  const [path = ''] = target.split('?', 1);
  const [found] = (await routes)
    .filter((route) => route.verb === verb && route.path.test(path))
    .sort((a, b) => b.literals - a.literals);
  return found ? missing(found.method.output, body, found.method.output.name) : [];
}

async function allRoutes(): Promise<Route[]> {
  return (await contractServices()).flatMap(({ methods }) =>
    methods
      .filter(({ methodKind }) => methodKind === 'unary')
      .flatMap((method) =>
        methodRules(method)
          .filter(({ responseBody }) => responseBody === '')
          .map(({ httpMethod, template }) => {
            const words = template.segments.map((segment) => (typeof segment === 'string' ? segment : undefined));
            const pattern = words.map((word) => word ?? '[^/]+').join('/');
            return {
              verb: httpMethod,
              path: new RegExp(`^/${pattern}${template.verb && `:${template.verb}`}$`),
              literals: words.filter((word) => word !== undefined).length + (template.verb ? 1 : 0),
              method,
            };
          }),
      ),
  );
}

function missing(desc: DescMessage, value: unknown, place: string): string[] {
  if (desc.typeName.startsWith('google.') || typeof value !== 'object' || value === null) return [];
  return desc.fields.flatMap((field) => {
    const within = (value as Record<string, unknown>)[field.jsonName];
    const at = `${place}.${field.jsonName}`;
    if (within === undefined) return isAlwaysSet(field) ? [at] : [];
    if (!field.message) return [];
    const { message } = field;
    if (field.fieldKind === 'message') return missing(message, within, at);
    return Object.entries(within as object).flatMap(([key, each]) => missing(message, each, `${at}[${key}]`));
  });
}

function isAlwaysSet(field: DescField): boolean {
  return hasOption(field, always_set) && getOption(field, always_set);
}
