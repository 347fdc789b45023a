import { parse } from '@bufbuild/cel';
import { nearestName } from '../../base/text/nearest.ts';
import { namespacedFunctions } from '../cel/expressions.ts';
import type { Follow } from './schema-edges.ts';

/** What is known about a name in an expression: a JSON Schema, or nothing, in which case anything may be read from it. */
type Known = Readonly<Record<string, unknown>> | undefined;
type Expression = NonNullable<ReturnType<typeof parse>['expr']>;

// Type names of the standard, which expressions may use: type(x) == int.
const typeNames = new Set([
  'bool',
  'bytes',
  'double',
  'dyn',
  'int',
  'list',
  'map',
  'null_type',
  'string',
  'type',
  'uint',
]);
const readers = new Set(['given', 'number', 'text']);
const depthMax = 16;

/**
 * Finds a name in an expression that does not exist: a variable not in `scope`, or a property not declared by the schema of the
 * object it is read from. Such a name has no value for any input, or only for inputs that nobody has described. CEL's own
 * checker knows protobuf types, not JSON Schema. Any property may be read from an object whose schema declares none, or allows
 * others (`additionalProperties`, `patternProperties`). `follow` resolves the references of the schemas in `scope`.
 */
export function unknownNameIn(
  expression: string,
  scope: Readonly<Record<string, Known>>,
  follow: Follow,
): string | undefined {
  const { expr } = parse(expression);
  const reader = createReader(follow);
  if (expr) reader.typeOf(expr, new Map(Object.entries(scope)));
  return reader.problem();
}

function createReader(follow: Follow) {
  let problem: string | undefined;

  function typeOf(expr: Expression, scope: ReadonlyMap<string, Known>): Known {
    const { exprKind } = expr;
    switch (exprKind.case) {
      case 'identExpr':
        return named(exprKind.value.name, scope);
      case 'selectExpr': {
        const { operand, field } = exprKind.value;
        return operand ? propertyOf(typeOf(operand, scope), field) : undefined;
      }
      case 'callExpr':
        return called(exprKind.value, scope);
      case 'listExpr':
        for (const element of exprKind.value.elements) typeOf(element, scope);
        return undefined;
      case 'structExpr':
        for (const { keyKind, value } of exprKind.value.entries) {
          if (keyKind.case === 'mapKey') typeOf(keyKind.value, scope);
          if (value) typeOf(value, scope);
        }
        return undefined;
      case 'comprehensionExpr': {
        const { iterVar, iterVar2, iterRange, accuVar, accuInit, loopCondition, loopStep, result } = exprKind.value;
        const inner = new Map(scope);
        const range = iterRange ? typeOf(iterRange, scope) : undefined;
        inner.set(iterVar, itemsOf(range));
        if (iterVar2) inner.set(iterVar2, undefined);
        inner.set(accuVar, undefined);
        for (const part of [accuInit, loopCondition, loopStep, result]) if (part) typeOf(part, inner);
        return undefined;
      }
      default:
        return undefined;
    }
  }

  function named(name: string, scope: ReadonlyMap<string, Known>): Known {
    if (scope.has(name)) return scope.get(name);
    if (!typeNames.has(name))
      problem ??= `names ${name}, which is not there; there are ${[...scope.keys()].join(', ')}`;
    return undefined;
  }

  function called(
    { function: name, target, args }: { function: string; target?: Expression | undefined; args: Expression[] },
    scope: ReadonlyMap<string, Known>,
  ): Known {
    // For a namespaced function (strings.quote), the call's target is the namespace, which is no value.
    const namespace = target?.exprKind.case === 'identExpr' ? target.exprKind.value.name : '';
    if (target && !namespacedFunctions.has(`${namespace}.${name}`)) typeOf(target, scope);
    const types = args.map((arg) => typeOf(arg, scope));
    const [, second] = args;
    const key = second?.exprKind.case === 'constExpr' ? second.exprKind.value.constantKind : undefined;
    if (name === '_[_]') return key?.case === 'stringValue' ? propertyOf(types[0], key.value) : itemsOf(types[0]);
    if (readers.has(name) && key?.case === 'stringValue') propertyOf(types[0], key.value);
    return undefined;
  }

  function propertyOf(type: Known, name: string): Known {
    if (type === undefined) return undefined;
    const { properties, mayHaveOthers } = declaredBy(type, follow);
    if (properties.has(name)) return properties.get(name);
    if (mayHaveOthers) return undefined;
    const near = nearestName(name, properties.keys());
    const hint =
      near === undefined
        ? `declared are ${[...properties.keys()].slice(0, 20).join(', ') || 'none'}`
        : `perhaps ${near} is meant`;
    problem ??= `names ${name.slice(0, 100)}, which is not declared where it is read from; ${hint}`;
    return undefined;
  }

  return { typeOf, problem: () => problem };

  function itemsOf(type: Known, depth = 0): Known {
    const parts = depth > depthMax ? [] : [referredBy(type, follow), ...listOf(type?.allOf)];
    const own = isSchema(type?.items) ? type.items : undefined;
    return parts.reduce((items, part) => both(items, itemsOf(part, depth + 1)), own);
  }
}

interface Declared {
  properties: Map<string, Known>;
  /** Others are allowed expressly. */
  open: boolean;
  mayHaveOthers: boolean;
}

/** The properties that all parts of a schema declare, and whether there may be others. */
function declaredBy(schema: Known, follow: Follow, depth = 0): Declared {
  const found = new Map<string, Known>();
  const parts = ['allOf', 'anyOf', 'oneOf'].flatMap((key) => listOf(schema?.[key]));
  for (const key of ['if', 'then', 'else']) if (isSchema(schema?.[key])) parts.push(schema[key]);
  const referred = referredBy(schema, follow);
  if (referred) parts.push(referred);
  const own = schema?.properties;
  if (isSchema(own))
    for (const [name, inner] of Object.entries(own)) found.set(name, isSchema(inner) ? inner : undefined);
  let declares = isSchema(own);
  const more = schema?.additionalProperties;
  let open = more === true || isSchema(more) || isSchema(schema?.patternProperties) || depth > depthMax;
  let hasNone = scalars.has(String(schema?.type));
  if (!open)
    for (const part of parts) {
      const inner = declaredBy(part, follow, depth + 1);
      for (const [name, type] of inner.properties) found.set(name, both(found.get(name), type));
      declares ||= inner.properties.size > 0;
      open ||= inner.open && more !== false;
      if (part === referred) hasNone ||= !inner.mayHaveOthers && inner.properties.size === 0;
    }
  // If nothing is said about its properties, an object may have any; a string or a number has none.
  return { properties: found, open, mayHaveOthers: open || (!declares && more !== false && !hasNone) };
}

const scalars = new Set(['string', 'number', 'integer', 'boolean', 'null']);

/** What a schema refers to, beside what it says itself. */
function referredBy(schema: Known, follow: Follow): Known {
  const reference = schema?.$ref ?? schema?.$dynamicRef;
  const target = typeof reference === 'string' ? follow(reference)?.node : undefined;
  return isSchema(target) ? target : undefined;
}

/** What two parts of a schema say of the same value. */
function both(a: Known, b: Known): Known {
  return a && b && a !== b ? { allOf: [a, b] } : (a ?? b);
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isSchema) : [];
}

function isSchema(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
