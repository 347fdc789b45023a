import {
  type DescMethod,
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
import { one, parseTemplate, rest, type Template } from './template.ts';

/** What one HTTP method and path lead to: a unary method, a streaming one, or one of each. */
export interface Route {
  unary?: { method: DescMethodUnary; binding: Binding };
  streaming?: { method: DescMethodServerStreaming; binding: Binding };
}

export interface TableOptions {
  methods: readonly DescMethod[];
  registry: Registry;
  pathPrefix: string;
  depthMax: number;
  bodyBytes: (method: DescMethod) => number;
}

/** Makes the table of routes from the methods that have a `google.api.http` option; throws `RuleError`s. */
export function buildTable(options: TableOptions): Matcher<Route> {
  const matcher = new Matcher<Route>(options.pathPrefix);
  const readers = new JsonReaders(options.registry);
  const routes = new Map<string, Route>();
  for (const method of options.methods) {
    for (const rule of rulesOf(method)) {
      const httpMethod = httpMethodOf(method, rule);
      const template = templateOf(method, rule);
      checkRule(method, rule, httpMethod);
      const binding = new Binding({
        ...{ method, rule, template, readers, registry: options.registry, depthMax: options.depthMax },
        bodyBytesMax: options.bodyBytes(method),
      });
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
  /** As google/api/http.proto has it: a field, `*`, or empty for none. */
  body: string;
  responseBody: string;
}

/** The HTTP rules of a method, the main one first; none when it has no `google.api.http` option. */
export function methodRules(method: DescMethod): MethodRule[] {
  return rulesOf(method).map((rule) => ({
    httpMethod: httpMethodOf(method, rule),
    template: templateOf(method, rule),
    body: rule.body,
    responseBody: rule.responseBody,
  }));
}

// A unary and a server-streaming method may share a path; anything else is a duplicate.
function join(route: Route, binding: Binding): boolean {
  const { method } = binding;
  if (isUnary(method) && !route.unary) route.unary = { method, binding };
  else if (isServerStreaming(method) && !route.streaming) route.streaming = { method, binding };
  else return false;
  return true;
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === 'unary';
}

function isServerStreaming(method: DescMethod): method is DescMethodServerStreaming {
  return method.methodKind === 'server_streaming';
}

function rulesOf(method: DescMethod): HttpRule[] {
  if (!hasOption(method, http)) return [];
  const rule = getOption(method, http);
  if (rule.additionalBindings.some((each) => each.additionalBindings.length > 0))
    throw new RuleError(method.toString(), 'additional_bindings may not have additional_bindings');
  return [rule, ...rule.additionalBindings];
}

function httpMethodOf(method: DescMethod, { pattern }: HttpRule): string {
  if (pattern.case === undefined) throw new RuleError(method.toString(), 'the rule has no path');
  if (pattern.case !== 'custom') return pattern.case.toUpperCase();
  const { kind } = pattern.value;
  if (kind === '*' || servedMethods.includes(kind)) return kind;
  throw new RuleError(method.toString(), `the custom kind "${kind}" is not one of ${servedMethods.join(', ')}, *`);
}

/** The HTTP methods that the plugin takes from Fastify. */
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
  if (method.methodKind !== 'unary' && method.methodKind !== 'server_streaming')
    throw fail('a method that streams requests has no REST form');
  if (rule.selector !== '') throw fail('selector is not supported in a method option');
  if (rule.body !== '' && ['GET', 'HEAD', 'DELETE', 'OPTIONS'].includes(httpMethod))
    throw fail(`${httpMethod} has no body`);
}

function shape({ segments, verb }: Template): string {
  return `/${segments.map((each) => (each === one ? '*' : each === rest ? '**' : String(each))).join('/')}:${verb}`;
}
