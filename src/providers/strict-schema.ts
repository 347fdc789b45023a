type Schema = Readonly<Record<string, unknown>>;

/** What OpenAI's strict mode cannot enforce (https://platform.openai.com/docs/guides/structured-outputs). */
const beyond = new Set([
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties'],
  ...['propertyNames', 'contains', 'prefixItems', 'unevaluatedItems', 'unevaluatedProperties', 'uniqueItems'],
]);

/**
 * Whether OpenAI accepts a schema as strict: an object in which all objects are closed and require all of their properties,
 * using only the part of JSON Schema that OpenAI documents. A schema that cannot be strict can still be shown to the model.
 */
export function canBeStrict(schema: unknown): boolean {
  return isSchema(schema) && schema.type === 'object' && fits(schema);
}

function fits(schema: unknown): boolean {
  if (!isSchema(schema)) return false;
  for (const keyword in schema) if (beyond.has(keyword)) return false;
  const { type, properties = {}, required = [], additionalProperties, items, anyOf = [], $defs = {} } = schema;
  if (!isSchema(properties) || !isSchema($defs) || !Array.isArray(required) || !Array.isArray(anyOf)) return false;
  const isObject = type === 'object' || 'properties' in schema || (Array.isArray(type) && type.includes('object'));
  if (isObject && additionalProperties !== false) return false;
  const names = Object.keys(properties);
  // Most lists are short; a set keeps a long one from being searched once for each name.
  const needed = names.length > 16 ? new Set(required) : undefined;
  if (!names.every((name) => (needed ? needed.has(name) : required.includes(name)))) return false;
  return (
    (items === undefined || fits(items)) &&
    Object.values(properties).every(fits) &&
    Object.values($defs).every(fits) &&
    anyOf.every(fits)
  );
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
