import { type DescField, type DescMessage, getOption, hasOption, type Message } from '@bufbuild/protobuf';
import { type FieldRules, field as fieldOption } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { type PatternMatcher, scalarCheck } from './rule-checks.ts';

/** A text of no more characters is read in some 15 us. */
const longCharacters = 4_096;
/** Wide enough for the lower bounds of the contract. */
const cutCharacters = 64;

type Fields = Record<string, unknown>;

/**
 * A message for protovalidate to decide on: as it is, but with long texts cut where their own rules are met, whole and cut. So what is
 * wrong elsewhere in a message of megabytes is found without reading those. The message itself is left alone.
 */
export function shortened<T extends Message>(desc: DescMessage, message: T, matches: PatternMatcher): T {
  const copy: Fields = { ...(message as unknown as Fields) };
  for (const field of desc.fields) {
    const { localName, oneof } = field;
    const chosen = oneof && (copy[oneof.localName] as { case?: string; value?: unknown } | undefined);
    if (oneof && chosen?.case !== localName) continue;
    const value = chosen ? chosen.value : copy[localName];
    const short = shortenedField(field, value, matches);
    if (short === value) continue;
    if (oneof) copy[oneof.localName] = { case: localName, value: short };
    else copy[localName] = short;
  }
  return copy as unknown as T;
}

function shortenedField(field: DescField, value: unknown, matches: PatternMatcher): unknown {
  const rules = hasOption(field, fieldOption) ? getOption(field, fieldOption) : undefined;
  const one = (item: unknown, itemRules: FieldRules | undefined) =>
    field.message && !field.message.typeName.startsWith('google.protobuf.')
      ? item && shortened(field.message, item as Message, matches)
      : cut(item, itemRules, matches);
  if (field.fieldKind === 'list') {
    const list = rules?.type.case === 'repeated' ? rules.type.value : undefined;
    // Cut texts may be alike.
    if (list?.unique) return value;
    const items = list?.items;
    return (value as readonly unknown[]).map((item) => one(item, items));
  }
  if (field.fieldKind === 'map') {
    const values = rules?.type.case === 'map' ? rules.type.value.values : undefined;
    return Object.fromEntries(Object.entries(value as Fields).map(([key, item]) => [key, one(item, values)]));
  }
  return one(value, rules);
}

function cut(value: unknown, rules: FieldRules | undefined, matches: PatternMatcher): unknown {
  if (typeof value !== 'string' || value.length <= longCharacters) return value;
  const check = scalarCheck(rules?.type ?? { case: undefined }, matches);
  const short = value.slice(0, cutCharacters);
  return !check || (check(value) && check(short)) ? short : value;
}
