import { parse } from '@bufbuild/cel';
import { entryOf, isGiven, type Variables } from './expressions.ts';

// Most expressions of packs compare a text or a number with another one, or ask whether something is given. Read as functions, these
// take a tenth of the engine's time; whatever else an expression has, and a value of another type, is left to the engine.

/** What an expression says of variables: a plain value; undefined: the engine has to tell. */
export type PlainExpression = (variables: Variables) => unknown;

type Expression = NonNullable<ReturnType<typeof parse>['expr']>;

/** Reads an expression as a function of its variables; undefined if something in it is not plain. Throws if it is no expression. */
export function readPlainly(
  expression: string,
  compilePattern: (pattern: string) => RegExp,
): PlainExpression | undefined {
  const { expr } = parse(expression);
  return expr && read(expr, compilePattern);
}

function read({ exprKind }: Expression, compilePattern: (pattern: string) => RegExp): PlainExpression | undefined {
  if (exprKind.case === 'constExpr') return constant(exprKind.value.constantKind);
  if (exprKind.case === 'identExpr') {
    const { name } = exprKind.value;
    return (variables) => variables[name];
  }
  if (exprKind.case === 'selectExpr') {
    const { operand, field, testOnly } = exprKind.value;
    const map = operand && !testOnly ? read(operand, compilePattern) : undefined;
    return map && ((variables) => entryOf(map(variables), field));
  }
  if (exprKind.case !== 'callExpr') return undefined;
  const { function: name, target, args } = exprKind.value;
  const [first, second] = target ? [target, ...args] : args;
  if (!first || args.length + (target ? 1 : 0) > 2) return undefined;
  const left = read(first, compilePattern);
  if (!left) return undefined;
  if (name === '@in') return second && isIn(left, second);
  if (name === 'matches') return second && matches(left, second, compilePattern);
  const right = second && read(second, compilePattern);
  if (second && !right) return undefined;
  if (right) return binary[name]?.(left, right);
  return unary[name]?.(left);
}

function constant({ case: type, value }: { case: string | undefined; value?: unknown }): PlainExpression | undefined {
  if (type === 'stringValue' || type === 'boolValue' || type === 'doubleValue') return () => value;
  // Variables are numbers, with which a whole one is compared by its value.
  const whole = type === 'int64Value' ? Number(value) : Number.NaN;
  return Number.isSafeInteger(whole) ? () => whole : undefined;
}

const unary: Readonly<Record<string, (value: PlainExpression) => PlainExpression>> = {
  '!_': (value) => (variables) => {
    const is = value(variables);
    return typeof is === 'boolean' ? !is : undefined;
  },
  given: (value) => (variables) => {
    const known = value(variables);
    return known === undefined ? undefined : isGiven(known);
  },
};

const binary: Readonly<Record<string, (left: PlainExpression, right: PlainExpression) => PlainExpression>> = {
  '_&&_': (left, right) => (variables) => {
    const is = left(variables);
    if (is !== true) return is === false ? false : undefined;
    const also = right(variables);
    return typeof also === 'boolean' ? also : undefined;
  },
  '_||_': (left, right) => (variables) => {
    const is = left(variables);
    if (is !== false) return is === true ? true : undefined;
    const also = right(variables);
    return typeof also === 'boolean' ? also : undefined;
  },
  '_==_': (left, right) => ofOneType((one, other) => one === other, left, right),
  '_!=_': (left, right) => ofOneType((one, other) => one !== other, left, right),
  '_<_': (left, right) => ofNumbers((one, other) => one < other, left, right),
  '_<=_': (left, right) => ofNumbers((one, other) => one <= other, left, right),
  '_>_': (left, right) => ofNumbers((one, other) => one > other, left, right),
  '_>=_': (left, right) => ofNumbers((one, other) => one >= other, left, right),
  contains: (left, right) => ofTexts((text, part) => text.includes(part), left, right),
  startsWith: (left, right) => ofTexts((text, part) => text.startsWith(part), left, right),
  given: (left, right) => (variables) => {
    const [map, name] = [left(variables), right(variables)];
    return map instanceof Map && typeof name === 'string' ? isGiven(map.get(name)) : undefined;
  },
};

function ofNumbers(
  compare: (one: number, other: number) => boolean,
  left: PlainExpression,
  right: PlainExpression,
): PlainExpression {
  return (variables) => {
    const [one, other] = [left(variables), right(variables)];
    // What is no number compares in ways of its own.
    const areNumbers = typeof one === 'number' && typeof other === 'number' && !Number.isNaN(one - other);
    return areNumbers ? compare(one, other) : undefined;
  };
}

function ofTexts(
  compare: (text: string, part: string) => boolean,
  left: PlainExpression,
  right: PlainExpression,
): PlainExpression {
  return (variables) => {
    const [text, part] = [left(variables), right(variables)];
    return typeof text === 'string' && typeof part === 'string' ? compare(text, part) : undefined;
  };
}

function ofOneType(
  compare: (one: unknown, other: unknown) => boolean,
  left: PlainExpression,
  right: PlainExpression,
): PlainExpression {
  return (variables) => {
    const [one, other] = [left(variables), right(variables)];
    const isPlain = typeof one === 'string' || typeof one === 'number' || typeof one === 'boolean';
    return isPlain && typeof one === typeof other ? compare(one, other) : undefined;
  };
}

function isIn(value: PlainExpression, { exprKind }: Expression): PlainExpression | undefined {
  if (exprKind.case !== 'listExpr') return undefined;
  const members = exprKind.value.elements.map(({ exprKind: one }) =>
    one.case === 'constExpr' ? constant(one.value.constantKind)?.({}) : undefined,
  );
  const [type] = members.map((one) => typeof one);
  if ((type !== 'string' && type !== 'number') || members.some((one) => typeof one !== type)) return undefined;
  const all: ReadonlySet<unknown> = new Set(members);
  return (variables) => {
    const one = value(variables);
    return typeof one === type && !Number.isNaN(one) ? all.has(one) : undefined;
  };
}

function matches(
  value: PlainExpression,
  { exprKind }: Expression,
  compilePattern: (pattern: string) => RegExp,
): PlainExpression | undefined {
  if (exprKind.case !== 'constExpr' || exprKind.value.constantKind.case !== 'stringValue') return undefined;
  const pattern = compilePattern(exprKind.value.constantKind.value);
  return (variables) => {
    const text = value(variables);
    return typeof text === 'string' ? pattern.test(text) : undefined;
  };
}
