import { below } from './schema-document.ts';

/** An edge from a schema to one that is checked along with it. */
export interface Edge {
  to: object;
  /** The location of the other one. */
  pointer: string;
  /** Where this one refers to it: a different location if it is a reference. */
  place: string;
  /** Whether the other one checks the same value rather than a part of it. */
  samePlace: boolean;
}

/** The target of a reference, and its location. */
export interface Target {
  node: object | boolean;
  pointer: string;
}

export type Follow = (reference: string) => Target | undefined;

const references = ['$ref', '$dynamicRef', '$recursiveRef'];
const samePlace = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies']);
const named = ['properties', 'patternProperties', 'dependentSchemas', 'dependencies'];
const listed = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
const single = [
  'items',
  'additionalItems',
  'additionalProperties',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'unevaluatedItems',
  'unevaluatedProperties',
];

/** The schemas that are checked against a value, or a part of it, when this one is. */
export function edgesOf(node: object, pointer: string, follow: Follow): Edge[] {
  const edges: Edge[] = [];
  const schema = node as Readonly<Record<string, unknown>>;
  const add = (to: unknown, at: string, same: boolean, place = at) => {
    if (typeof to === 'object' && to !== null && !Array.isArray(to))
      edges.push({ to, pointer: at, place, samePlace: same });
  };
  for (const keyword of references) {
    const reference = schema[keyword];
    const target = typeof reference === 'string' ? follow(reference) : undefined;
    if (target) add(target.node, target.pointer, true, below(pointer, keyword));
  }
  for (const keyword of single) add(schema[keyword], below(pointer, keyword), samePlace.has(keyword));
  for (const keyword of listed) {
    const members = schema[keyword];
    if (!Array.isArray(members)) continue;
    const at = below(pointer, keyword);
    for (const [index, member] of members.entries()) add(member, `${at}/${index}`, samePlace.has(keyword));
  }
  for (const keyword of named) {
    const members = schema[keyword];
    if (typeof members !== 'object' || members === null || Array.isArray(members)) continue;
    const at = below(pointer, keyword);
    for (const [name, member] of Object.entries(members)) add(member, below(at, name), samePlace.has(keyword));
  }
  return edges;
}
