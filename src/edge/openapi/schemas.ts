import { type DescField, type DescMessage, type DescService, getOption, hasOption } from '@bufbuild/protobuf';
import { type JsonSchema, JsonSchemas } from '../../base/message-schema.ts';
import type { ProtoComments } from '../../base/proto-comments.ts';
import { FieldBehavior, field_behavior } from '../../gen/google/api/field_behavior_pb.ts';
import { always_set } from '../../gen/intelligence/common/v1/replies_pb.ts';

/** A message used in both requests and replies has two schemas: what requests may contain, and what replies do contain. */
export interface Schemas {
  requests: JsonSchemas;
  replies: JsonSchemas;
}

export function schemasOf({
  services,
  comments,
}: {
  services: readonly DescService[];
  comments: ProtoComments;
}): Schemas {
  const refPrefix = '#/components/schemas/';
  const asked = new Set<string>();
  for (const { methods } of services) for (const { input } of methods) collectMessages(input, asked);
  return {
    requests: new JsonSchemas({
      ...{ refPrefix, comments },
      isRequired: (field) => behaves(field, FieldBehavior.REQUIRED),
      isReadOnly: (field) => behaves(field, FieldBehavior.OUTPUT_ONLY),
    }),
    replies: new JsonSchemas({
      ...{ refPrefix, comments, ofReplies: true },
      isAlwaysSet: (field) => hasOption(field, always_set) && getOption(field, always_set),
      nameOf: ({ typeName }) => (asked.has(typeName) ? `${typeName}.Reply` : typeName),
    }),
  };
}

function collectMessages(desc: DescMessage, into: Set<string>): void {
  if (into.has(desc.typeName)) return;
  into.add(desc.typeName);
  for (const { message } of desc.fields) if (message) collectMessages(message, into);
}

/** The definitions that the paths reference, directly or indirectly. */
export function used(paths: object, definitions: Readonly<Record<string, JsonSchema>>): Record<string, JsonSchema> {
  const kept: Record<string, JsonSchema> = {};
  const collect = (part: object): void => {
    JSON.stringify(part, (key, value) => {
      const name = key === '$ref' ? String(value).slice(String(value).lastIndexOf('/') + 1) : undefined;
      const definition = name === undefined || name in kept ? undefined : definitions[name];
      if (name !== undefined && definition) {
        kept[name] = definition;
        collect(definition);
      }
      return value;
    });
  };
  collect(paths);
  return Object.fromEntries(Object.entries(definitions).filter(([name]) => name in kept));
}

function behaves(field: DescField, behavior: FieldBehavior): boolean {
  return hasOption(field, field_behavior) && getOption(field, field_behavior).includes(behavior);
}
