import type { JsonValue } from '@bufbuild/protobuf';
import { foldText } from '../../base/text/fold.ts';
import type { Constraint } from '../../gen/intelligence/workflow/v1/decision_pb.ts';
import { jsonOf, type Plain } from '../family.ts';
import type { Message, Words } from '../words/index.ts';
import { readMeasured } from './measured-values.ts';
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
  const signs = constraints.map(({ attribute }) => signAt(attribute, options));
  for (const option of options) {
    const standings = constraints.map((constraint, at) => standingOf(constraint, option, signs[at]));
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
          twoNumbersIn(named, option, signs[unknownAt]) ?? {
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

/** The sign of decimals that all options together show at an attribute. */
export function signAt(attribute: string, options: readonly ReadOption[]): DecimalSign {
  return decimalSignOf(options.map(({ values }) => values.get(attribute)).filter((value) => typeof value === 'string'));
}

export function standingOf(
  { attribute, operator, value: wanted }: Plain<Constraint>,
  { values }: ReadOption,
  sign: DecimalSign,
): Standing {
  const value = values.get(attribute);
  if (value === undefined || value === null || (typeof value === 'string' && noAnswer.test(foldText(value))))
    return 'unknown';
  if (operator === 'present') return standing(value !== '' && value !== false);
  const limit = jsonOf(wanted);
  if (operator === 'in') return standing(Array.isArray(limit) && limit.some((one) => isSame(one, value)));
  if (operator === '=') return standing(isSame(limit, value));
  if (operator === '!=') return standing(!isSame(limit, value));
  const [a, b] = numbersIn(value, limit, sign);
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
  { values }: ReadOption,
  sign: DecimalSign,
): Message | undefined {
  if (!/^[<>]/.test(operator)) return undefined;
  for (const value of [values.get(attribute), jsonOf(wanted)]) {
    const read: WrittenNumber = typeof value === 'string' ? readNumber(value, sign) : { kind: 'none' };
    if (read.kind !== 'ambiguous') continue;
    const [whole, part] = read.readings;
    return { name: 'decision.twoNumbers', values: { criterion: attribute, value: String(value), whole, part } };
  }
  return undefined;
}

/** A value and its limit as numbers of one unit; a limit without a unit is in that of the value. */
function numbersIn(
  value: JsonValue,
  limit: JsonValue,
  sign: DecimalSign,
): readonly [number | undefined, number | undefined] {
  const [ofValue, ofLimit] = [quantityIn(value), quantityIn(limit)];
  if (!ofValue && !ofLimit) return [numberIn(value, sign), numberIn(limit, sign)];
  if (ofValue && ofLimit && ofValue.measure !== ofLimit.measure) return [undefined, undefined];
  // Of a limit alone the unit is not known to be that of the value.
  if (!ofValue) return [undefined, undefined];
  const factor = ofLimit ? (ofLimit.times * ofLimit.factor) / ofValue.factor : 1;
  return [
    times(numberIn(ofValue.number, sign), ofValue.times),
    times(numberIn(ofLimit?.number ?? limit, sign), factor),
  ];
}

function times(number: number | undefined, factor: number): number | undefined {
  return number === undefined ? undefined : number * factor;
}

function quantityIn(value: JsonValue): Quantity | undefined {
  return typeof value === 'string' ? readMeasured(value) : undefined;
}

function numberIn(value: JsonValue, sign: DecimalSign): number | undefined {
  if (typeof value === 'string') {
    const read = readNumber(value, sign);
    return read.kind === 'number' ? read.value : undefined;
  }
  return typeof value === 'object' ? undefined : Number(value);
}

const answers: ReadonlyMap<string, boolean> = new Map([
  ...['yes', 'ja', 'si', 'oui', 'true'].map((word) => [word, true] as const),
  ...['no', 'nein', 'non', 'false'].map((word) => [word, false] as const),
]);

/** A yes or no in words is the same as true or false. */
function asBoolean(value: JsonValue): JsonValue {
  return typeof value === 'string' ? (answers.get(foldText(value)) ?? value) : value;
}

function isSame(a: JsonValue | undefined, b: JsonValue): boolean {
  if (typeof a === 'string' && typeof b === 'string') return foldText(a) === foldText(b);
  if (typeof a === 'boolean' || typeof b === 'boolean') return asBoolean(a ?? null) === asBoolean(b);
  if (typeof a === 'object' || typeof b === 'object') return JSON.stringify(a) === JSON.stringify(b);
  return a === b || (!isBlank(a) && !isBlank(b) && Number(a) === Number(b));
}

/** Number would read it as 0. */
function isBlank(value: JsonValue | undefined): boolean {
  return typeof value === 'string' && value.trim() === '';
}
