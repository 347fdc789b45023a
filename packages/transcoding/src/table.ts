import {
  type DescMethod,
  type DescMethodBiDiStreaming,
  type DescMethodClientStreaming,
  type DescMethodServerStreaming,
  type DescMethodUnary,
  getOption,
  hasOption,
  type Registry,
} from '@bufbuild/protobuf';
import { Binding } from './binding.ts';
import { RuleError } from './errors.ts';
import { http } from './gen/google/api/annotations_pb.ts';
import type { HttpRule } from './gen/google/api/http_pb.ts';
import { JsonReaders } from './json-message.ts';
import { Matcher } from './matcher.ts';
import { type HttpRules, selectRules } from './service-config.ts';
import { one, parseTemplate, rest, type Template } from './template.ts';

/** A method with one reply. */
export type UnaryMethod = DescMethodUnary | DescMethodClientStreaming;
/** A method with a stream of replies. */
export type StreamingMethod = DescMethodServerStreaming | DescMethodBiDiStreaming;

/** What one HTTP method and path lead to: a unary method, a streaming one, or one of each. */
export interface Route {
  unary?: { method: UnaryMethod; binding: Binding };
  streaming?: { method: StreamingMethod; binding: Binding };
}

export interface TableOptions {
  methods: readonly DescMethod[];
  rules?: HttpRules | undefined;
  /** The kinds of methods that can be called. */
  handlers: Handlers;
  registry: Registry;
  pathPrefix: string;
  depthMax: number;
  bodyBytes: (method: DescMethod) => number;
}

type Handlers = { readonly [Kind in 'unary' | 'serverStreaming' | 'clientStreaming' | 'bidiStreaming']?: unknown };

const handlerOf = {
  unary: 'unary',
  server_streaming: 'serverStreaming',
  client_streaming: 'clientStreaming',
  bidi_streaming: 'bidiStreaming',
} as const satisfies Record<DescMethod['methodKind'], keyof Handlers>;

/** Builds the route table from the methods that have an HTTP rule; throws `RuleError`s. */
export function buildTable(options: TableOptions): Matcher<Route> {
  const matcher = new Matcher<Route>(options.pathPrefix);
  const readers = new JsonReaders(options.registry);
  const routes = new Map<string, Route>();
  const ruleOf = ruleFinder(options.methods, options.rules);
  for (const method of options.methods) {
    for (const rule of rulesOf(method, ruleOf(method))) {
      const httpMethod = httpMethodOf(method, rule);
      const template = templateOf(method, rule);
      checkRule(method, rule, httpMethod);
      const binding = new Binding({
        ...{ method, rule, template, readers, registry: options.registry, depthMax: options.depthMax },
        bodyBytesMax: options.bodyBytes(method),
        decodeSlashes: options.rules?.fullyDecodeReservedExpansion ?? false,
      });
      const handler = handlerOf[method.methodKind];
      if (!options.handlers[handler]) throw new RuleError(method.toString(), `there is no "${handler}" to call it`);
      const key = `${httpMethod} ${shape(template)}`;
      const paired = routes.get(key);
      if (paired && join(paired, binding)) continue;
      const route: Route = {};
      join(route, binding);
      try {
        matcher.add(httpMethod, template, method.toString(), route);
      } catch (error) {
        throw new RuleError(method.toString(), `"${templateText(rule)}": ${(error as Error).message}`);
      }
      routes.set(key, route);
    }
  }
  return matcher;
}

/** One HTTP rule of a method, parsed. */
export interface MethodRule {
  httpMethod: string;
  template: Template;
  /** As in google/api/http.proto: a field, `*`, or empty for none. */
  body: string;
  responseBody: string;
}

/** The HTTP rules in a method's `google.api.http` option, the main one first; none without the option. */
export function methodRules(method: DescMethod): MethodRule[] {
  return rulesOf(method, optionOf(method)).map((rule) => ({
    httpMethod: httpMethodOf(method, rule),
    template: templateOf(method, rule),
    body: rule.body,
    responseBody: rule.responseBody,
  }));
}

// A unary and a streaming method may share a path; anything else is a duplicate.
function join(route: Route, binding: Binding): boolean {
  const { method } = binding;
  if (isUnary(method) && !route.unary) route.unary = { method, binding };
  else if (isStreaming(method) && !route.streaming) route.streaming = { method, binding };
  else return false;
  return true;
}

function isUnary(method: DescMethod): method is UnaryMethod {
  return method.methodKind === 'unary' || method.methodKind === 'client_streaming';
}

function isStreaming(method: DescMethod): method is StreamingMethod {
  return !isUnary(method);
}

/** A service configuration's rule takes precedence over the method's own option. */
function ruleFinder(
  methods: readonly DescMethod[],
  rules: HttpRules | undefined,
): (method: DescMethod) => HttpRule | undefined {
  const selected = rules && selectRules(rules, methods);
  return (method) => selected?.get(method) ?? optionOf(method);
}

function optionOf(method: DescMethod): HttpRule | undefined {
  if (!hasOption(method, http)) return undefined;
  const rule = getOption(method, http);
  if (rule.selector !== '') throw new RuleError(method.toString(), 'selector is not supported in a method option');
  return rule;
}

function rulesOf(method: DescMethod, rule: HttpRule | undefined): HttpRule[] {
  if (!rule) return [];
  if (rule.additionalBindings.some((each) => each.additionalBindings.length > 0))
    throw new RuleError(method.toString(), 'additional_bindings may not have additional_bindings');
  if (rule.additionalBindings.some(({ selector }) => selector !== ''))
    throw new RuleError(method.toString(), 'additional_bindings may not have a selector');
  return [rule, ...rule.additionalBindings];
}

function httpMethodOf(method: DescMethod, { pattern }: HttpRule): string {
  if (pattern.case === undefined) throw new RuleError(method.toString(), 'the rule has no path');
  if (pattern.case !== 'custom') return pattern.case.toUpperCase();
  const { kind } = pattern.value;
  if (kind === '*' || servedMethods.includes(kind)) return kind;
  throw new RuleError(method.toString(), `the custom kind "${kind}" is not one of ${servedMethods.join(', ')}, *`);
}

/** The HTTP methods that the plugin handles in Fastify. */
export const servedMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

function templateText({ pattern }: HttpRule): string {
  return pattern.case === 'custom' ? pattern.value.path : (pattern.value ?? '');
}

function templateOf(method: DescMethod, rule: HttpRule): Template {
  try {
    return parseTemplate(templateText(rule));
  } catch (error) {
    throw new RuleError(method.toString(), (error as Error).message);
  }
}

function checkRule(method: DescMethod, rule: HttpRule, httpMethod: string): void {
  const fail = (problem: string) => new RuleError(method.toString(), problem);
  if (rule.body !== '' && ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(httpMethod))
    throw fail(`${httpMethod} has no body`);
}

function shape({ segments, verb }: Template): string {
  return `/${segments.map((each) => (each === one ? '*' : each === rest ? '**' : String(each))).join('/')}:${verb}`;
}
