import { patternWeight, patternWeightMax, tooHeavy } from './patterns.ts';
import { below, dataKeywords, namedMembers, readDocument, type SchemaDocument } from './schema-document.ts';
import { type Edge, edgesOf, type Follow, type Target } from './schema-edges.ts';

/** What is excessive about a schema, and where: a JSON pointer into it. */
export interface SchemaProblem {
  pointer: string;
  problem: string;
}

/** The most objects that may be schemas, and the most references, in one schema. */
export const subschemasMax = 10_000;
export const referencesMax = 1_000;
/** The most subschemas that one value may be checked against when all references are expanded. */
export const expansionMax = 50_000;

/**
 * Says what is excessive about a schema before it is compiled: the number of subschemas and references, its size with all
 * references expanded, and the weight of its patterns. Also finds what a caller's schema may not contain: `$async`, an `$id`
 * below the root, an external reference, or one to itself that does not go deeper into the value. Pure; linear in the schema.
 */
export function boundSchema(schema: Readonly<Record<string, unknown>>): SchemaProblem | undefined {
  const document = readDocument(schema);
  if (document.schemas > subschemasMax) return { pointer: '', problem: `has more than ${subschemasMax} subschemas` };
  const [unwanted] = document.unwanted;
  if (unwanted) return { pointer: unwanted.pointer, problem: `is not allowed: ${reasons[unwanted.keyword]}` };
  return boundPatterns(document) ?? boundReferences(schema, document);
}

const reasons = {
  // Quoted, it would be the prototype. The compiler leaves the name out.
  ['__proto__']: 'nothing that has this name would be checked',
  $async: 'schemas are checked at once',
  $id: 'only the whole schema may have an $id; use $defs or $anchor',
};

function boundPatterns({ patterns }: SchemaDocument): SchemaProblem | undefined {
  let weight = 0;
  for (const { pointer, pattern } of patterns) {
    weight += patternWeight(pattern);
    if (weight > patternWeightMax) return { pointer, problem: `${tooHeavy}, all patterns of the schema together` };
  }
  return undefined;
}

function boundReferences(
  schema: Readonly<Record<string, unknown>>,
  { references, anchors }: SchemaDocument,
): SchemaProblem | undefined {
  const last = references[referencesMax];
  if (last) return { pointer: last.pointer, problem: `is one of more than ${referencesMax} references` };
  const targets = new Map<string, Target>();
  for (const { pointer, reference } of references) {
    if (!reference.startsWith('#'))
      return { pointer, problem: 'refers to elsewhere; put what it names into $defs and refer to that' };
    const target = targetOf(schema, anchors, reference);
    if (target === undefined) return { pointer, problem: 'refers to nothing that is in the schema' };
    targets.set(reference, target);
  }
  if (references.length === 0) return undefined;
  return boundExpansion(schema, (reference) => targets.get(reference));
}

/** Resolves a reference: the whole schema, an anchor, or a JSON pointer that does not lead into data. */
export function targetOf(
  schema: Readonly<Record<string, unknown>>,
  anchors: SchemaDocument['anchors'],
  reference: string,
): Target | undefined {
  if (reference === '#' || reference === '#/') return { node: schema, pointer: '' };
  if (!reference.startsWith('#/')) return anchors.get(reference);
  let node: unknown = schema;
  let pointer = '';
  let named = false;
  for (const part of reference.slice(2).split('/')) {
    const name = decoded(part);
    if (name === undefined || typeof node !== 'object' || node === null || !Object.hasOwn(node, name)) return undefined;
    const keywords: boolean = !named && !Array.isArray(node);
    if (keywords && dataKeywords.has(name)) return undefined;
    named = keywords && namedMembers.has(name);
    node = (node as Record<string, unknown>)[name];
    pointer = below(pointer, name);
  }
  return (typeof node === 'object' && node !== null) || typeof node === 'boolean' ? { node, pointer } : undefined;
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    return undefined;
  }
}

interface Visit {
  node: object;
  pointer: string;
  edges: Edge[];
  next: number;
  cost: number;
}

/**
 * Adds up the size of every subschema with its references expanded. A cycle counts once, unless it does not go deeper into the
 * value, in which case it never ends.
 */
function boundExpansion(schema: object, follow: Follow): SchemaProblem | undefined {
  const costs = new Map<object, number>();
  const endless = findEndless(schema, follow);
  if (endless) return endless;
  const visit = (node: object, pointer: string): Visit => ({
    node,
    pointer,
    edges: edgesOf(node, pointer, follow),
    next: 0,
    cost: 1,
  });
  const open = [visit(schema, '')];
  costs.set(schema, 1);
  for (let top = open.at(-1); top; top = open.at(-1)) {
    const edge = top.edges[top.next++];
    if (edge) {
      const known = costs.get(edge.to);
      if (known !== undefined) top.cost += known;
      else {
        // Counts as 1 while it is open: the cost of a cycle.
        costs.set(edge.to, 1);
        open.push(visit(edge.to, edge.pointer));
      }
    } else {
      open.pop();
      costs.set(top.node, top.cost);
      const outer = open.at(-1);
      if (outer) outer.cost += top.cost;
    }
    if (top.cost > expansionMax)
      return {
        pointer: top.pointer,
        problem: `comes to more than ${expansionMax} subschemas when its references are written out`,
      };
  }
  return undefined;
}

/** Finds a part that is checked against the same value again before anything else: the schema would never finish, for any value. */
function findEndless(schema: object, follow: Follow): SchemaProblem | undefined {
  const done = new Set<object>();
  const waiting = [{ node: schema, pointer: '' }];
  const seen = new Set<object>([schema]);
  for (let start = waiting.pop(); start; start = waiting.pop()) {
    if (done.has(start.node)) continue;
    const open = [{ ...start, edges: edgesOf(start.node, start.pointer, follow), next: 0 }];
    const path = new Set<object>([start.node]);
    for (let top = open.at(-1); top; top = open.at(-1)) {
      const edge = top.edges[top.next++];
      if (!edge) {
        open.pop();
        path.delete(top.node);
        done.add(top.node);
      } else if (!edge.samePlace) {
        if (!seen.has(edge.to)) waiting.push({ node: edge.to, pointer: edge.pointer });
        seen.add(edge.to);
      } else if (path.has(edge.to)) {
        return { pointer: edge.place, problem: 'refers to itself without going deeper into the value' };
      } else if (!done.has(edge.to)) {
        seen.add(edge.to);
        path.add(edge.to);
        open.push({ node: edge.to, pointer: edge.pointer, edges: edgesOf(edge.to, edge.pointer, follow), next: 0 });
      }
    }
  }
  return undefined;
}
