import { percentDecode, withPlainUnreserved } from './percent.ts';
import { one, rest, type Segment, type Template } from './template.ts';

/** What a path and an HTTP method lead to. */
export type Match<R> =
  | { kind: 'found'; route: R; segments: string[] }
  | { kind: 'wrong_method'; allow: string[] }
  | { kind: 'unknown' }
  | { kind: 'bad_escape' };

interface Node<R> {
  literals: Map<string, Node<R>>;
  one?: Node<R>;
  rest?: Node<R>;
  /** By HTTP method; `*` means any. */
  routes: Map<string, R>;
}

interface Entry {
  httpMethod: string;
  template: Template;
  name: string;
}

/**
 * Finds routes by HTTP method and raw path. Literals take precedence over `*`, which takes precedence over `**`, from left to
 * right; a verb known at the path takes precedence over reading `:verb` as part of the last segment. The work is bounded by the
 * size of the table, not by the length of the path.
 */
export class Matcher<R> {
  private readonly prefix: string;
  private readonly byVerb = new Map<string, Node<R>>();
  /** Paths without variables, which most requests use. */
  private readonly fixed = new Map<string, Map<string, R>>();
  private readonly entries: Entry[] = [];

  constructor(prefix = '') {
    this.prefix = prefix;
  }

  /** Adds a route; throws if another matches the same requests, or some of them without either being more specific. */
  add(httpMethod: string, template: Template, name: string, route: R): void {
    for (const other of this.entries) {
      if (other.httpMethod !== httpMethod || other.template.verb !== template.verb) continue;
      const relation = relate(other.template.segments, template.segments);
      if (relation === 'same') throw new Error(`${httpMethod} leads to ${other.name} already`);
      if (relation === 'ambiguous') throw new Error(`${httpMethod} is ambiguous with the route of ${other.name}`);
    }
    this.entries.push({ httpMethod, template, name });
    let node = this.byVerb.get(template.verb) ?? emptyNode<R>();
    this.byVerb.set(template.verb, node);
    for (const segment of template.segments) node = child(node, segment);
    node.routes.set(httpMethod, route);
    if (!template.segments.every((segment) => typeof segment === 'string')) return;
    const path = `${this.prefix}/${template.segments.join('/')}${template.verb && `:${template.verb}`}`;
    const routes = this.fixed.get(path) ?? new Map<string, R>();
    this.fixed.set(path, routes.set(httpMethod, route));
  }

  find(httpMethod: string, rawPath: string): Match<R> {
    const path = withPlainUnreserved(rawPath);
    const fixed = this.fixed.get(path)?.get(httpMethod);
    if (fixed !== undefined) return { kind: 'found', route: fixed, segments: noSegments };
    if (path.includes('%') && percentDecode(path) === undefined) return { kind: 'bad_escape' };
    if (!path.startsWith(`${this.prefix}/`)) return { kind: 'unknown' };
    const start = this.prefix.length + 1;
    const colon = path.lastIndexOf(':');
    const withVerb = colon > path.lastIndexOf('/') ? this.byVerb.get(path.slice(colon + 1)) : undefined;
    if (withVerb && colon < path.length - 1) {
      const match = search(withVerb, httpMethod, path.slice(start, colon));
      if (match.kind !== 'unknown') return match;
    }
    const plain = this.byVerb.get('');
    return plain ? search(plain, httpMethod, path.slice(start)) : { kind: 'unknown' };
  }
}

const noSegments: string[] = [];

function search<R>(root: Node<R>, httpMethod: string, path: string): Match<R> {
  const segments: string[] = [];
  const allow = new Set<string>();
  const route = walk(root, 0);
  if (route !== undefined) return { kind: 'found', route, segments };
  return allow.size > 0 ? { kind: 'wrong_method', allow: allowed(allow) } : { kind: 'unknown' };

  // `at` is where the next segment starts; past the end if there is none.
  function walk(node: Node<R>, at: number): R | undefined {
    if (at > path.length) return take(node) ?? (node.rest && take(node.rest));
    const slash = path.indexOf('/', at);
    const end = slash < 0 ? path.length : slash;
    if (end === at) return undefined;
    const segment = path.slice(at, end);
    const depth = segments.push(segment);
    const literal = node.literals.get(segment.includes('%') ? (percentDecode(segment) ?? '') : segment);
    const found = (literal && walk(literal, end + 1)) ?? (node.one && walk(node.one, end + 1));
    if (found !== undefined) return found;
    segments.length = depth - 1;
    if (!node.rest || path.includes('//', at) || path.endsWith('/')) return undefined;
    const all = take(node.rest);
    if (all !== undefined) segments.push(path.slice(at));
    return all;
  }

  function take(node: Node<R>): R | undefined {
    const route = node.routes.get(httpMethod) ?? (httpMethod === 'HEAD' ? node.routes.get('GET') : undefined);
    if (route !== undefined) return route;
    for (const method of node.routes.keys()) if (method !== '*') allow.add(method);
    return node.routes.get('*');
  }
}

function allowed(methods: Set<string>): string[] {
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods].sort();
}

function child<R>(node: Node<R>, segment: Segment): Node<R> {
  if (segment === one) {
    node.one ??= emptyNode();
    return node.one;
  }
  if (segment === rest) {
    node.rest ??= emptyNode();
    return node.rest;
  }
  const known = node.literals.get(segment as string);
  if (known) return known;
  const made = emptyNode<R>();
  node.literals.set(segment as string, made);
  return made;
}

function emptyNode<R>(): Node<R> {
  return { literals: new Map(), routes: new Map() };
}

type Relation = 'same' | 'apart' | 'nested' | 'ambiguous';

// Which of two templates matches more paths: ambiguous if some paths fit both and each fits some that the other does not.
function relate(a: readonly Segment[], b: readonly Segment[]): Relation {
  let aIsWider = false;
  let bIsWider = false;
  for (let index = 0; ; index++) {
    const x = a[index];
    const y = b[index];
    if (x === undefined && y === undefined) break;
    if (x === rest || y === rest) {
      if (x !== rest) bIsWider = true;
      if (y !== rest) aIsWider = true;
      break;
    }
    if (x === undefined || y === undefined) return 'apart';
    if (x === y) continue;
    if (x === one) aIsWider = true;
    else if (y === one) bIsWider = true;
    else return 'apart';
  }
  if (aIsWider && bIsWider) return 'ambiguous';
  return aIsWider || bIsWider ? 'nested' : 'same';
}
