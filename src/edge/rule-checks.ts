import { type DescField, type DescMessage, isFieldSet, type Message } from '@bufbuild/protobuf';
import type { FieldRules } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import {
  BytesRulesSchema,
  DoubleRulesSchema,
  Int32RulesSchema,
  StringRulesSchema,
  UInt32RulesSchema,
} from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';

/** Whether a value certainly meets its rules. */
export type ValueCheck = (value: unknown) => boolean;
export type PatternMatcher = (pattern: string, text: string) => boolean;

/** The check of what has rules that are not known here. */
export const undecided: ValueCheck = () => false;

/** What is known of one kind of rules: a check for each rule, by the name of its field. */
type Known<Value, Rules> = Readonly<Record<string, (rules: Rules) => (value: Value) => boolean>>;

/** A check of all that a message of rules says; undefined when it says nothing. */
export function checkOf<Value, Rules extends Message>(
  schema: DescMessage,
  rules: Rules,
  known: Known<Value, Rules>,
): ValueCheck | undefined {
  const checks: ((value: Value) => boolean)[] = [];
  for (const name of rulesIn(schema, rules)) {
    const check = known[name];
    if (!check) return undecided;
    checks.push(check(rules));
  }
  const [first, second] = checks;
  if (!second) return first as ValueCheck | undefined;
  return (value) => checks.every((isMet) => isMet(value as Value));
}

/** The names of the rules that are set; of those that this version of the schema does not know, their numbers. */
export function rulesIn(schema: DescMessage, rules: Message): string[] {
  const set = schema.fields.filter((field: DescField) => isFieldSet(rules, field) && !isNote(field));
  return [...set.map(({ name }) => name), ...(rules.$unknown ?? []).map(({ no }) => String(no))];
}

/** Examples are for readers. */
function isNote({ name }: DescField): boolean {
  return name === 'example';
}

/** The check of a scalar or an enumeration. */
export function scalarCheck(
  rules: FieldRules['type'] | { case: undefined },
  matches: PatternMatcher,
): ValueCheck | undefined {
  switch (rules.case) {
    case undefined:
      return undefined;
    case 'string':
      return checkOf(StringRulesSchema, rules.value, {
        min_len: (of) => minLength(Number(of.minLen)),
        max_len: (of) => maxLength(Number(of.maxLen)),
        min_bytes: (of) => minBytes(Number(of.minBytes)),
        max_bytes: (of) => maxBytes(Number(of.maxBytes)),
        pattern: (of) => (text: string) => matches(of.pattern, text),
        prefix: (of) => (text: string) => text.startsWith(of.prefix),
        in: (of) => {
          const allowed = new Set(of.in);
          return (text: string) => allowed.has(text);
        },
      });
    case 'bytes':
      return checkOf(BytesRulesSchema, rules.value, {
        min_len: (of) => (bytes: Uint8Array) => bytes.length >= of.minLen,
        max_len: (of) => (bytes: Uint8Array) => bytes.length <= of.maxLen,
      });
    case 'int32':
      return checkOf(Int32RulesSchema, rules.value, numberChecks(rules.value));
    case 'uint32':
      return checkOf(UInt32RulesSchema, rules.value, numberChecks(rules.value));
    case 'double':
      return checkOf(DoubleRulesSchema, rules.value, { ...numberChecks(rules.value), finite: () => Number.isFinite });
    default:
      return undecided;
  }
}

interface NumberRules {
  lessThan: { case: 'lt' | 'lte'; value: number } | { case: undefined; value?: undefined };
  greaterThan: { case: 'gt' | 'gte'; value: number } | { case: undefined; value?: undefined };
}

function numberChecks({ lessThan, greaterThan }: NumberRules): Known<number, NumberRules & Message> {
  const most = lessThan.value ?? Number.POSITIVE_INFINITY;
  const least = greaterThan.value ?? Number.NEGATIVE_INFINITY;
  // With bounds in the other order, protovalidate refuses what is between them.
  if (least >= most) return {};
  return {
    lt: () => (value) => value < most,
    lte: () => (value) => value <= most,
    gt: () => (value) => value > least,
    gte: () => (value) => value >= least,
  };
}

// A rule counts code points, of which each has one or two of a string's units, or bytes of UTF-8, of which a unit has one to three. So
// nearly always a string's length says enough.

function minLength(least: number): (text: string) => boolean {
  return (text) => text.length >= least && (text.length >= 2 * least || codePoints(text) >= least);
}

function maxLength(most: number): (text: string) => boolean {
  return (text) => text.length <= most || (text.length <= 2 * most && codePoints(text) <= most);
}

function minBytes(least: number): (text: string) => boolean {
  return (text) => text.length >= least || (3 * text.length >= least && Buffer.byteLength(text) >= least);
}

function maxBytes(most: number): (text: string) => boolean {
  return (text) => 3 * text.length <= most || (text.length <= most && Buffer.byteLength(text) <= most);
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000;

/** Surrogates without their other half count as one each, as they do for protovalidate. */
function codePoints(text: string): number {
  let pairs = 0;
  for (let at = 1; at < text.length; at++)
    if (isLow(text.charCodeAt(at)) && isHigh(text.charCodeAt(at - 1))) pairs += 1;
  return text.length - pairs;
}
