type Schema = Readonly<Record<string, unknown>>;

/** What OpenAI's strict mode cannot enforce (https://platform.openai.com/docs/guides/structured-outputs). */
const beyond = [
  ...['allOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentRequired', 'dependentSchemas', 'patternProperties'],
  ...['propertyNames', 'contains', 'prefixItems', 'unevaluatedItems', 'unevaluatedProperties', 'uniqueItems'],
];

/**
 * Whether OpenAI accepts a schema as strict: an object in which all objects are closed and require all of their properties,
 * using only the part of JSON Schema that OpenAI documents. A schema that cannot be strict can still be shown to the model.
 */
export function canBeStrict(schema: unknown): boolean {
  return isSchema(schema) && schema.type === 'object' && fits(schema);
}

function fits(schema: unknown): boolean {
  if (!isSchema(schema) || beyond.some((keyword) => keyword in schema)) return false;
  const { properties = {}, required = [], additionalProperties, items, anyOf = [], $defs = {} } = schema;
  if (!isSchema(properties) || !isSchema($defs) || !Array.isArray(required) || !Array.isArray(anyOf)) return false;
  const isObject = [schema.type].flat().includes('object') || 'properties' in schema;
  if (isObject && additionalProperties !== false) return false;
  if (!Object.keys(properties).every((name) => required.includes(name))) return false;
  const within = [...Object.values(properties), ...Object.values($defs), ...anyOf];
  return [...within, ...(items === undefined ? [] : [items])].every(fits);
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
