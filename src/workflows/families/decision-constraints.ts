import type { JsonValue } from '@bufbuild/protobuf';
import { foldText } from '../../base/text/fold.ts';
import type { Constraint } from '../../gen/intelligence/workflow/v1/decision_pb.ts';
import { jsonOf, type Plain } from '../family.ts';
import type { Message, Words } from '../words/index.ts';
import { measuredIn } from './measured-values.ts';
import type { Quantity } from './quantity.ts';
import { type DecimalSign, decimalSignOf, readNumber, type WrittenNumber } from './written-number.ts';

/** An option with its values by criterion or attribute name. */
export interface ReadOption {
  name: string;
  values: ReadonlyMap<string, JsonValue>;
}

export interface Eliminated {
  option: string;
  constraint: string;
  reason: string;
}

export interface Sifted {
  remaining: ReadOption[];
  eliminated: Eliminated[];
  /** Those left out only because it is not known whether they meet the constraints. */
  undecided: ReadOption[];
}

/**
 * Removes options that violate a constraint or for which its value is unknown. The first unmet constraint is named, else
 * the first that is unknown.
 */
export function eliminate(
  options: readonly ReadOption[],
  constraints: readonly Plain<Constraint>[],
  words: Words,
): Sifted {
  const sifted: Sifted = { remaining: [], eliminated: [], undecided: [] };
  const columns = constraints.map(({ attribute }) => columnAt(attribute, options, words));
  for (const option of options) {
    const standings = constraints.map((constraint, at) => standingOf(constraint, option, columns[at]));
    const unmet = constraints[standings.indexOf('unmet')];
    const unknownAt = standings.indexOf('unknown');
    const unknown = constraints[unknownAt];
    const named = unmet ?? unknown;
    if (named === undefined) {
      sifted.remaining.push(option);
      continue;
    }
    if (unmet === undefined) sifted.undecided.push(option);
    const reason = unmet
      ? unmet.reason || words.say('decision.notMet')
      : words.tell(
          twoNumbersIn(named, option, columns[unknownAt]) ?? {
            name: 'decision.notKnown',
            values: { attribute: named.attribute },
          },
        );
    sifted.eliminated.push({ option: option.name, constraint: describeConstraint(named, words), reason });
  }
  return sifted;
}

export function describeConstraint({ attribute, operator, value }: Plain<Constraint>, { say }: Words): string {
  if (operator === 'present') return say('decision.present', { attribute });
  return `${attribute} ${operator} ${JSON.stringify(jsonOf(value)).slice(0, 200)}`;
}

/** Whether an option meets a constraint; `unknown` if its value is not there or cannot be compared. */
export type Standing = 'met' | 'unmet' | 'unknown';

// What people write where they do not know yet, folded.
const noAnswer =
  /^(?:\?+|-+|n\/?a|tb[acd]|unknown|not known|unclear|open|unbekannt|unklar|offen|k\. ?a\.?|desconocido|sin datos|se desconoce|inconnu|non connu|a verifier)$/;

/** What all options together show at an attribute: one value alone does not always tell how it is to be read. */
export interface AttributeColumn {
  /** The sign of decimals. */
  sign: DecimalSign;
  /** The values that are written with a unit. */
  quantities: ReadonlyMap<ReadOption, Quantity>;
  /** One in the unit of most options, in which a limit without a unit is; undefined if there is none such. */
  usual: Quantity | undefined;
}

export function columnAt(attribute: string, options: readonly ReadOption[], { decimals }: Words): AttributeColumn {
  const given = options.map(({ values }) => values.get(attribute));
  const read = measuredIn(given, attribute);
  const quantities = new Map(
    options.flatMap((option, at) => {
      const quantity = read[at];
      return quantity === undefined ? [] : [[option, quantity] as const];
    }),
  );
  const all = [...quantities.values()];
  const usual = all.find(
    ({ measure, factor }) =>
      all.filter((one) => one.measure === measure && one.factor === factor).length * 2 > all.length,
  );
  const numbers = given.map((value, at) => read[at]?.number ?? value).filter((value) => typeof value === 'string');
  return { sign: decimalSignOf(numbers) ?? decimals, quantities, usual };
}

export function standingOf(
  { attribute, operator, value: wanted }: Plain<Constraint>,
  option: ReadOption,
  column: AttributeColumn | undefined,
): Standing {
  const { values } = option;
  const value = values.get(attribute);
  if (value === undefined || value === null || (typeof value === 'string' && noAnswer.test(foldText(value))))
    return 'unknown';
  if (operator === 'present') return standing(value !== '' && value !== false);
  const limit = jsonOf(wanted);
  if (operator === 'in') return standing(Array.isArray(limit) && limit.some((one) => isSame(one, value)));
  if (operator === '=') return standing(isSame(limit, value));
  if (operator === '!=') return standing(!isSame(limit, value));
  const [a, b] = numbersIn(value, limit, option, column);
  if (a === undefined || b === undefined) return 'unknown';
  if (operator === '<') return standing(a < b);
  if (operator === '<=') return standing(a <= b);
  return standing(operator === '>' ? a > b : a >= b);
}

function standing(isMet: boolean): Standing {
  return isMet ? 'met' : 'unmet';
}

/** What to say of a value, or of a limit, that was given and is unknown only because it can mean two numbers. */
export function twoNumbersIn(
  { attribute, operator, value: wanted }: Plain<Constraint>,
  option: ReadOption,
  column: AttributeColumn | undefined,
): Message | undefined {
  if (!/^[<>]/.test(operator)) return undefined;
  const limit = jsonOf(wanted);
  const written = [
    [option.values.get(attribute), column?.quantities.get(option)],
    [limit, quantityOf(limit)],
  ] as const;
  for (const [value, quantity] of written) {
    const number = quantity?.number ?? value;
    const read: WrittenNumber = typeof number === 'string' ? readNumber(number, column?.sign) : { kind: 'none' };
    if (read.kind !== 'ambiguous') continue;
    const [whole, part] = read.readings;
    return { name: 'decision.twoNumbers', values: { criterion: attribute, value: String(value), whole, part } };
  }
  return undefined;
}

/** A value and its limit as numbers of one unit. */
function numbersIn(
  value: JsonValue,
  limit: JsonValue,
  option: ReadOption,
  column: AttributeColumn | undefined,
): readonly [number | undefined, number | undefined] {
  const sign = column?.sign;
  const [ofValue, ofLimit] = [column?.quantities.get(option), quantityOf(limit)];
  if (!ofValue && !ofLimit) return [numberIn(value, sign), numberIn(limit, sign)];
  // Of a limit alone the unit is not known to be that of the value.
  if (!ofValue) return [undefined, undefined];
  const unit = inUsualPeriod(ofLimit, column?.usual) ?? column?.usual;
  if (unit === undefined || unit.measure !== ofValue.measure) return [undefined, undefined];
  return [
    times(numberIn(ofValue.number, sign), ofValue.times * ofValue.factor),
    times(numberIn(ofLimit?.number ?? limit, sign), (ofLimit?.times ?? 1) * unit.factor),
  ];
}

/** "At most $75" of prices by the month is $75 a month. */
function inUsualPeriod(limit: Quantity | undefined, usual: Quantity | undefined): Quantity | undefined {
  if (!limit || usual?.measure !== `${limit.measure}/year`) return limit;
  return { ...limit, measure: usual.measure, factor: usual.factor };
}

function times(number: number | undefined, factor: number): number | undefined {
  return number === undefined ? undefined : number * factor;
}

function quantityOf(limit: JsonValue): Quantity | undefined {
  return measuredIn([limit], '')[0];
}

function numberIn(value: JsonValue, sign: DecimalSign): number | undefined {
  if (typeof value === 'string') {
    const read = readNumber(value, sign);
    return read.kind === 'number' ? read.value : undefined;
  }
  return typeof value === 'object' ? undefined : Number(value);
}

const answers: ReadonlyMap<string, boolean> = new Map([
  ...['yes', 'y', 'ja', 'j', 'si', 'oui', 'true', '✓', '✔', '✅'].map((word) => [word, true] as const),
  ...['no', 'n', 'nein', 'non', 'false', '✗', '✘', '❌'].map((word) => [word, false] as const),
]);

/** A yes or no in words is the same as true or false. */
function asBoolean(value: JsonValue): JsonValue {
  return typeof value === 'string' ? (answers.get(foldText(value)) ?? value) : value;
}

/** "oui" and "ja" say the same. */
function isSameAnswer(a: string, b: string): boolean {
  const said = asBoolean(a);
  return typeof said === 'boolean' && said === asBoolean(b);
}

function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return foldText(a) === foldText(b) || isSameAnswer(a, b);
  if (typeof a === 'boolean' || typeof b === 'boolean') return asBoolean(a ?? null) === asBoolean(b);
  if (typeof a === 'object' || typeof b === 'object') return JSON.stringify(a) === JSON.stringify(b);
  return a === b || (!isBlank(a) && !isBlank(b) && Number(a) === Number(b));
}

/** Number would read it as 0. */
function isBlank(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value.trim() === '';
}
