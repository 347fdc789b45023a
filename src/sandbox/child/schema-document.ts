/** The parts of a caller's schema that matter before it is compiled, found in a single walk. */
export interface SchemaDocument {
  /** Each `$ref` and `$dynamicRef`: its location and its value. */
  references: { pointer: string; reference: string }[];
  /** `pattern` and the names of `patternProperties`. */
  patterns: { pointer: string; pattern: string }[];
  /** Parts that can be referenced by `$anchor`, `$dynamicAnchor` or an `$id` that is a fragment. */
  anchors: Map<string, { node: object; pointer: string }>;
  /** `$id` below the root, `$async` anywhere, and the name `__proto__`: none is allowed. */
  unwanted: { pointer: string; keyword: '$id' | '$async' | '__proto__' }[];
  /** How many objects may be schemas. */
  schemas: number;
}

/** Keywords whose members are named by the caller: directly below them, `$async` is just a name. */
export const namedMembers = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Keywords that hold data; nothing inside is a keyword. */
export const dataKeywords = new Set(['enum', 'const', 'default', 'examples']);

/** Walks a schema, including unknown keywords, since references may point into them. */
export function readDocument(schema: object): SchemaDocument {
  const document: SchemaDocument = { references: [], patterns: [], anchors: new Map(), unwanted: [], schemas: 0 };
  const open: { node: object; pointer: string; named: boolean }[] = [{ node: schema, pointer: '', named: false }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node, pointer, named } = next;
    const keywords = !named && !Array.isArray(node);
    if (keywords) note(document, node as Record<string, unknown>, pointer);
    else if (named && Object.hasOwn(node, '__proto__'))
      document.unwanted.push({ pointer: below(pointer, '__proto__'), keyword: '__proto__' });
    for (const [name, value] of Object.entries(node)) {
      if (typeof value !== 'object' || value === null || (keywords && dataKeywords.has(name))) continue;
      const at = below(pointer, name);
      if (keywords && name === 'patternProperties')
        for (const pattern of Object.keys(value)) document.patterns.push({ pointer: below(at, pattern), pattern });
      open.push({ node: value, pointer: at, named: keywords && namedMembers.has(name) && !Array.isArray(value) });
    }
  }
  return document;
}

/** A JSON pointer (RFC 6901) to a member. */
export function below(pointer: string, name: string): string {
  return `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

function note(document: SchemaDocument, node: Record<string, unknown>, pointer: string): void {
  document.schemas++;
  const { $id, $anchor, $dynamicAnchor, pattern } = node;
  for (const keyword of ['$ref', '$dynamicRef', '$recursiveRef'] as const) {
    const reference = node[keyword];
    if (typeof reference === 'string') document.references.push({ pointer: below(pointer, keyword), reference });
  }
  if (typeof pattern === 'string') document.patterns.push({ pointer: below(pointer, 'pattern'), pattern });
  for (const anchor of [$anchor, $dynamicAnchor])
    if (typeof anchor === 'string') document.anchors.set(`#${anchor}`, { node, pointer });
  if (typeof $id === 'string' && $id.startsWith('#')) document.anchors.set($id, { node, pointer });
  else if (typeof $id === 'string' && pointer !== '')
    document.unwanted.push({ pointer: below(pointer, '$id'), keyword: '$id' });
  if (node.$async !== undefined) document.unwanted.push({ pointer: below(pointer, '$async'), keyword: '$async' });
}
