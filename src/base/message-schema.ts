import {
  create,
  type DescEnum,
  type DescField,
  type DescMessage,
  getOption,
  hasOption,
  ScalarType,
} from '@bufbuild/protobuf';
import { FeatureSet_FieldPresence } from '@bufbuild/protobuf/wkt';
import {
  type FieldRules,
  FieldRulesSchema,
  field as fieldOption,
  oneof as oneofOption,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import type { ProtoComments } from './proto-comments.ts';

/** A JSON Schema 2020-12, as OpenAPI 3.1 uses it. */
export interface JsonSchema {
  [keyword: string]: unknown;
}

export interface JsonSchemaOptions {
  /** The prefix of a message's name in a reference; `#/$defs/` by default. */
  refPrefix?: string;
  /** Fields required in a message, besides those that `buf.validate` requires. */
  isRequired?: (field: DescField) => boolean;
  /** Fields that only exist in replies. */
  isReadOnly?: (field: DescField) => boolean;
  comments?: ProtoComments;
  /**
   * Describes what a server returns, with all fields, instead of what it accepts: fields without presence are required, and the
   * limits on requests are omitted, except for lists of allowed strings.
   */
  ofReplies?: boolean;
  /** Fields with presence that replies always set. */
  isAlwaysSet?: (field: DescField) => boolean;
  /** The name of a message's definition; its full name by default. */
  nameOf?: (desc: DescMessage) => string;
  /** Refuse unknown fields. Off by default: a later version may add fields to replies. */
  closed?: boolean;
}

/**
 * JSON Schemas of protobuf messages, following protobuf's JSON mapping, with the limits from `buf.validate`. `definitions`
 * collects everything that the returned schemas refer to.
 */
export class JsonSchemas {
  readonly definitions: Record<string, JsonSchema> = {};
  private readonly options: JsonSchemaOptions;

  constructor(options: JsonSchemaOptions = {}) {
    this.options = options;
  }

  /** A reference to the message's schema, or the schema of a well-known type. */
  message(desc: DescMessage): JsonSchema {
    const known = wellKnown(desc);
    if (known) return known;
    const name = this.options.nameOf?.(desc) ?? desc.typeName;
    if (!(name in this.definitions)) {
      // Set before its fields are visited, since a message may contain itself.
      this.definitions[name] = {};
      this.definitions[name] = this.object(desc);
    }
    return { $ref: `${this.options.refPrefix ?? '#/$defs/'}${name}` };
  }

  /** The message's schema inline, without the named fields (by proto name). */
  object(desc: DescMessage, without: ReadonlySet<string> = new Set()): JsonSchema {
    const fields = desc.fields.filter((field) => !without.has(field.name));
    const required = fields.filter((field) => this.isRequired(field)).map((field) => field.jsonName);
    return {
      type: 'object',
      ...this.described(desc.typeName),
      properties: Object.fromEntries(fields.map((field) => [field.jsonName, this.field(field)])),
      ...(required.length > 0 && { required }),
      ...(this.options.closed && { additionalProperties: false }),
      ...oneofRules(desc, this.options.ofReplies === true),
    };
  }

  /** The schema of a field's value. */
  field(field: DescField): JsonSchema {
    const rules = this.rulesOf(field);
    const schema = { ...this.value(field, rules), ...this.described(`${field.parent.typeName}.${field.name}`) };
    return this.options.isReadOnly?.(field) ? { ...schema, readOnly: true } : schema;
  }

  /** A self-contained message schema, with everything it refers to in `$defs`. */
  standalone(desc: DescMessage): JsonSchema {
    const schema = this.message(desc);
    return { $schema: 'https://json-schema.org/draft/2020-12/schema', ...schema, $defs: this.definitions };
  }

  /** Whether requests must have the field; for replies, whether they always do. */
  isRequired(field: DescField): boolean {
    if (this.options.ofReplies)
      return field.presence === FeatureSet_FieldPresence.IMPLICIT || this.options.isAlwaysSet?.(field) === true;
    const rules = hasOption(field, fieldOption) ? getOption(field, fieldOption) : undefined;
    return rules?.required === true || this.options.isRequired?.(field) === true;
  }

  private rulesOf(field: DescField): FieldRules | undefined {
    const rules = hasOption(field, fieldOption) ? getOption(field, fieldOption) : undefined;
    return rules && this.options.ofReplies ? wordsOnly(rules) : rules;
  }

  private value(field: DescField, rules: FieldRules | undefined): JsonSchema {
    switch (field.fieldKind) {
      case 'list': {
        const list = rules?.type.case === 'repeated' ? rules.type.value : undefined;
        return compact({
          type: 'array',
          items: this.single(field, list?.items),
          minItems: bound(list?.minItems),
          maxItems: bound(list?.maxItems),
          uniqueItems: list?.unique || undefined,
        });
      }
      case 'map': {
        const map = rules?.type.case === 'map' ? rules.type.value : undefined;
        const keys = field.mapKey === ScalarType.STRING ? { ...stringBounds(map?.keys) } : {};
        return compact({
          type: 'object',
          additionalProperties: this.single(field, map?.values),
          propertyNames: Object.keys(keys).length > 0 ? keys : undefined,
          minProperties: bound(map?.minPairs),
          maxProperties: bound(map?.maxPairs),
        });
      }
      default:
        return this.single(field, rules);
    }
  }

  // A single value: the field itself, or an element.
  private single(field: DescField, rules: FieldRules | undefined): JsonSchema {
    if (field.message) return this.message(field.message);
    if (field.enum) return this.enumeration(field.enum);
    return scalarSchema(field.scalar ?? ScalarType.STRING, rules);
  }

  private enumeration(desc: DescEnum): JsonSchema {
    const lines = desc.values.map((value) => {
      const comment = this.options.comments?.get(`${desc.typeName}.${value.name}`);
      return comment ? `- \`${value.name}\`: ${comment}` : `- \`${value.name}\``;
    });
    const comment = this.options.comments?.get(desc.typeName);
    return {
      type: 'string',
      enum: desc.values.map((value) => value.name),
      ...(this.options.comments && { description: [...(comment ? [comment] : []), ...lines].join('\n') }),
    };
  }

  private described(name: string): JsonSchema {
    const comment = this.options.comments?.get(name);
    return comment ? { description: comment } : {};
  }
}

const wellKnownSchemas: Record<string, JsonSchema> = {
  'google.protobuf.Timestamp': { type: 'string', format: 'date-time' },
  'google.protobuf.Duration': { type: 'string', pattern: '^-?[0-9]{1,12}(\\.[0-9]{1,9})?s$' },
  'google.protobuf.FieldMask': { type: 'string' },
  'google.protobuf.Struct': { type: 'object' },
  'google.protobuf.Value': {},
  'google.protobuf.ListValue': { type: 'array' },
  'google.protobuf.Any': { type: 'object', properties: { '@type': { type: 'string' } }, required: ['@type'] },
  'google.api.HttpBody': { type: 'string', contentEncoding: 'binary' },
};

const wrapper = /^google\.protobuf\.(Double|Float|Int64|UInt64|Int32|UInt32|Bool|String|Bytes)Value$/;

function wellKnown(desc: DescMessage): JsonSchema | undefined {
  const known = wellKnownSchemas[desc.typeName];
  if (known) return { ...known };
  const [value] = desc.fields;
  return wrapper.test(desc.typeName) && value?.scalar !== undefined ? scalarSchema(value.scalar, undefined) : undefined;
}

function scalarSchema(type: ScalarType, rules: FieldRules | undefined): JsonSchema {
  switch (type) {
    case ScalarType.STRING:
      return { type: 'string', ...stringBounds(rules) };
    case ScalarType.BYTES:
      return { type: 'string', contentEncoding: 'base64' };
    case ScalarType.BOOL:
      return { type: 'boolean' };
    case ScalarType.DOUBLE:
    case ScalarType.FLOAT:
      return { type: 'number', ...numberBounds(rules) };
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647, ...numberBounds(rules) };
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return { type: 'integer', minimum: 0, maximum: 4_294_967_295, ...numberBounds(rules) };
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return { type: 'string', pattern: '^[0-9]{1,20}$' };
    default:
      return { type: 'string', pattern: '^-?[0-9]{1,19}$' };
  }
}

const formats: Record<string, string> = {
  email: 'email',
  hostname: 'hostname',
  ipv4: 'ipv4',
  ipv6: 'ipv6',
  uri: 'uri',
  uriRef: 'uri-reference',
  uuid: 'uuid',
};

function stringBounds(rules: FieldRules | undefined): JsonSchema {
  if (rules?.type.case !== 'string') return {};
  const { value } = rules.type;
  const prefix = value.prefix ? `^${escapePattern(value.prefix)}` : undefined;
  // An optional field may also be sent empty; its limits apply to what is sent.
  return compact({
    const: value.const || undefined,
    // Any byte implies a character; longer texts are limited in bytes, because counting characters takes their reader longer.
    minLength: bound(value.len) ?? bound(value.minLen) ?? (value.minBytes > 0n ? 1 : undefined),
    maxLength: bound(value.len) ?? bound(value.maxLen),
    pattern: value.pattern || prefix,
    enum: value.in.length > 0 ? value.in : undefined,
    format: value.wellKnown.case && value.wellKnown.value === true ? formats[value.wellKnown.case] : undefined,
    examples: value.example.length > 0 ? value.example : undefined,
  });
}

function numberBounds(rules: FieldRules | undefined): JsonSchema {
  const value = rules?.type.value;
  if (!value || !('lessThan' in value) || !('greaterThan' in value)) return {};
  const { lessThan, greaterThan } = value;
  const upper = lessThan.case && finite(lessThan.value);
  const lower = greaterThan.case && finite(greaterThan.value);
  return compact({
    maximum: lessThan.case === 'lte' ? upper : undefined,
    exclusiveMaximum: lessThan.case === 'lt' ? upper : undefined,
    minimum: greaterThan.case === 'gte' ? lower : undefined,
    exclusiveMinimum: greaterThan.case === 'gt' ? lower : undefined,
    enum: 'in' in value && value.in.length > 0 ? value.in.map(Number) : undefined,
  });
}

// At most one field of a oneof may be set; exactly one if requests require it.
function oneofRules(desc: DescMessage, ofReplies: boolean): JsonSchema {
  const missing: JsonSchema[] = [];
  const excluding: Record<string, JsonSchema> = {};
  for (const oneof of desc.oneofs) {
    const { fields } = oneof;
    if (fields.length > 1)
      for (const { jsonName } of fields)
        excluding[jsonName] = none(fields.filter((field) => field.jsonName !== jsonName));
    const mustBeThere = hasOption(oneof, oneofOption) && getOption(oneof, oneofOption).required;
    if (mustBeThere && !ofReplies) missing.push(none(fields));
  }
  return compact({
    dependentSchemas: Object.keys(excluding).length > 0 ? excluding : undefined,
    not: missing.length > 1 ? { anyOf: missing } : missing[0],
  });
}

/** An object without any of these fields. */
function none(fields: readonly DescField[]): JsonSchema {
  return { propertyNames: { not: { enum: fields.map(({ jsonName }) => jsonName) } } };
}

/** Reduces a field's rules to the lists of allowed strings. */
function wordsOnly(rules: FieldRules): FieldRules | undefined {
  if (rules.type.case === 'repeated') {
    const { items } = rules.type.value;
    const words = items && wordsOnly(items);
    return words && create(FieldRulesSchema, { type: { case: 'repeated', value: { items: words } } });
  }
  if (rules.type.case !== 'string' || rules.type.value.in.length === 0) return undefined;
  return create(FieldRulesSchema, { type: { case: 'string', value: { in: rules.type.value.in } } });
}

function bound(value: bigint | undefined): number | undefined {
  return value === undefined || value === 0n ? undefined : Number(value);
}

function finite(value: unknown): number | undefined {
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
}

function compact(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).filter(([, value]) => value !== undefined));
}
