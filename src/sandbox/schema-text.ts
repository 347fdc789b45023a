/** The maximum length of a schema as JSON, and how deep its objects and lists may nest. */
export const schemaCharactersMax = 262_144;
export const schemaDepthMax = 64;
const valuesMax = 65_536;

/**
 * A caller's schema as JSON, if it is small and flat enough to be passed on; all other limits are checked where it is compiled.
 * Stops at the limit, so that a schema of any size or depth is cheap.
 */
export function schemaText(
  schema: Readonly<Record<string, unknown>>,
): { ok: true; text: string } | { ok: false; problem: string } {
  const open: { value: object; depth: number }[] = [{ value: schema, depth: 1 }];
  let values = 0;
  for (let next = open.pop(); next; next = open.pop()) {
    const { value, depth } = next;
    if (depth > schemaDepthMax) return { ok: false, problem: `nests deeper than ${schemaDepthMax} levels` };
    for (const member of Object.values(value)) {
      if (++values > valuesMax) return { ok: false, problem: `holds more than ${valuesMax} values` };
      if (typeof member === 'object' && member !== null) open.push({ value: member, depth: depth + 1 });
    }
  }
  const text = JSON.stringify(schema);
  if (text.length > schemaCharactersMax)
    return { ok: false, problem: `is longer than ${schemaCharactersMax} characters` };
  return { ok: true, text };
}
