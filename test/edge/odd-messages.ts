import { globSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { create, type DescField, type DescMessage, type DescService, ScalarType } from '@bufbuild/protobuf';
import fc from 'fast-check';

const modules = await Promise.all(
  globSync('src/gen/intelligence/**/*_pb.ts').map((file) => import(pathToFileURL(file).href)),
);
const services = modules
  .flatMap((module) => Object.values<DescService>(module))
  .filter(({ kind, typeName }) => kind === 'service' && typeName.startsWith('intelligence.'));
/** All requests, and all that is in them. */
export const received = new Set(services.flatMap(({ methods }) => methods.map(({ input }) => input)));
for (const { fields } of received)
  for (const { message } of fields) if (message?.typeName.startsWith('intelligence.')) received.add(message);

/** Values as they are mostly sent, those just inside and just outside of the contract's bounds, and odd ones. */
const lengths = [5_000, 0, 1, 2, 16, 63, 64, 65, 100, 199, 200, 201, 256, 257, 500, 501, 1_000, 1_001];
const texts = fc.oneof(
  fc.constantFrom(
    '',
    'a',
    'economy',
    'user',
    'up',
    'en',
    'chat',
    '1.50',
    'https://a.example/b',
    'in_order',
    'a b',
    '\ud800',
  ),
  fc
    .tuple(fc.constantFrom(...lengths), fc.constantFrom('a', 'é', '漢', '😀', '\udc00'))
    .map(([many, one]) => one.repeat(many)),
);
const counts = [16, 17, 32, 33, 64, 65, 100, 101];
const wholes = [-1, 0, 1, 2, 5, 10, 50, 100, 1_000, 1_001, 86_400, 1_000_000, 2_147_483_647];
const numbers = fc.constantFrom(...wholes, 0.5, 1.5, 1e300, Number.NaN, Number.POSITIVE_INFINITY, -0);

function scalars(type: ScalarType): fc.Arbitrary<unknown> {
  if (type === ScalarType.STRING) return texts;
  if (type === ScalarType.BOOL) return fc.boolean();
  if (type === ScalarType.BYTES) return fc.constantFrom(0, 1, 70).map((many) => new Uint8Array(many));
  if (type === ScalarType.DOUBLE || type === ScalarType.FLOAT) return numbers;
  if (type === ScalarType.UINT32) return fc.constantFrom(...wholes.slice(1));
  if (type === ScalarType.INT32) return fc.constantFrom(...wholes);
  return fc.constantFrom(0n, 1n, 100n);
}

/** Sometimes most fields are set and sometimes few: what is nearly in order has the fault that others would hide. */
export function messages(desc: DescMessage, depth = 0): fc.Arbitrary<object> {
  const ofWeight = (weight: number) => {
    const maybe = (value: fc.Arbitrary<unknown>) =>
      fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, { weight, arbitrary: value });
    const parts = desc.fields
      .filter(({ oneof }) => !oneof)
      .map((field) => [field.localName, maybe(values(field, depth))] as const);
    const oneofs = desc.oneofs.map(({ localName, fields }) => {
      const chosen = fields.map((field) => values(field, depth).map((value) => ({ case: field.localName, value })));
      return [localName, maybe(fc.oneof(...chosen))] as const;
    });
    return fc.record(Object.fromEntries([...parts, ...oneofs])).map((init) => create(desc, init));
  };
  return fc.oneof(ofWeight(1), ofWeight(16));
}

function values(field: DescField, depth: number): fc.Arbitrary<unknown> {
  const one = singles(field, depth);
  if (field.fieldKind === 'list')
    return fc.oneof(
      { weight: 3, arbitrary: fc.array(one, { maxLength: 3 }) },
      fc.tuple(one, fc.constantFrom(...counts)).map(([item, many]) => new Array(many).fill(item)),
    );
  if (field.fieldKind === 'map')
    return fc.oneof(
      fc.dictionary(fc.constantFrom('', 'a', 'b', 'x'.repeat(65)), one, { maxKeys: 3 }),
      fc
        .tuple(one, fc.constantFrom(...counts))
        .map(([value, many]) => Object.fromEntries(Array.from({ length: many }, (_, at) => [`k${at}`, value]))),
    );
  return one;
}

function singles({ message, enum: enumeration, scalar }: DescField, depth: number): fc.Arbitrary<unknown> {
  if (enumeration) return fc.constantFrom(...enumeration.values.map(({ number }) => number));
  if (!message) return scalars(scalar ?? ScalarType.STRING);
  if (message.typeName === 'google.protobuf.Struct') return fc.constant({ a: 1 });
  return depth >= 2 ? fc.constant(create(message)) : messages(message, depth + 1);
}
