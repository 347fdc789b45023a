import { type DescMethod, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { RuleError } from './errors.ts';
import { type HttpRule, HttpRuleSchema } from './gen/google/api/http_pb.ts';

/** The parsed `http` part of a service configuration (google/api/service.proto). */
export interface HttpRules {
  readonly rules: readonly HttpRule[];
  /**
   * Whether `%2F` in the part matched by `**` is decoded to a slash. In the part matched by a single `*` within a longer variable
   * it is never decoded, in a variable of one segment always.
   */
  readonly fullyDecodeReservedExpansion: boolean;
}

/**
 * Reads the HTTP rules of a service configuration, a parsed YAML or JSON document with `http.rules` in it. Names may be in
 * snake_case or lowerCamelCase; the document's other parts (`type`, `name`, `documentation`, ...) are ignored. Throws a
 * `RuleError` that says where something is wrong.
 */
export function httpRules(serviceConfig: unknown): HttpRules {
  const http = object(serviceConfig, 'the service configuration').http;
  if (http === undefined || http === null) throw new RuleError('http', 'is missing in the service configuration');
  const { rules, ...others } = object(http, 'http');
  const decode = others.fully_decode_reserved_expansion ?? others.fullyDecodeReservedExpansion ?? false;
  delete others.fully_decode_reserved_expansion;
  delete others.fullyDecodeReservedExpansion;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) throw new RuleError(`http.${unknown}`, 'is not a known field');
  if (typeof decode !== 'boolean') throw new RuleError('http.fully_decode_reserved_expansion', 'must be true or false');
  if (rules !== undefined && !Array.isArray(rules)) throw new RuleError('http.rules', 'must be a list');
  return { rules: (rules ?? []).map(readRule), fullyDecodeReservedExpansion: decode };
}

function readRule(json: unknown, index: number): HttpRule {
  const place = `http.rules[${index}]`;
  object(json, place);
  let rule: HttpRule;
  try {
    rule = fromJson(HttpRuleSchema, json as JsonValue);
  } catch (error) {
    throw new RuleError(place, (error as Error).message);
  }
  if (rule.selector === '')
    throw new RuleError(`${place}.selector`, 'is missing: name a method, such as "pkg.Service.Method"');
  const nested = rule.additionalBindings.findIndex(({ selector }) => selector !== '');
  if (nested >= 0)
    throw new RuleError(`${place}.additional_bindings[${nested}].selector`, 'must be empty: the rule itself has one');
  return rule;
}

/**
 * The rule for each selected method; if several match, the last one wins. A selector is a comma-separated list of full names; a
 * name may end in `.*` to match any name below it, and `*` alone matches all. A selector that selects nothing is an error.
 */
export function selectRules({ rules }: HttpRules, methods: readonly DescMethod[]): Map<DescMethod, HttpRule> {
  const selected = new Map<DescMethod, HttpRule>();
  for (const [index, rule] of rules.entries())
    for (const pattern of rule.selector.split(',').map((each) => each.trim())) {
      const found = methods.filter((method) => matches(pattern, `${method.parent.typeName}.${method.name}`));
      if (found.length === 0)
        throw new RuleError(`http.rules[${index}].selector`, `"${pattern}" is none of the methods that are served`);
      for (const method of found) selected.set(method, rule);
    }
  return selected;
}

function matches(pattern: string, name: string): boolean {
  return pattern === '*' || pattern === name || (pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1)));
}

function object(value: unknown, place: string): Record<string, unknown> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new RuleError(place, 'must be an object');
}
