import type { Guardrail } from '../../base/guardrails.ts';
import type { GuardrailFinding, GuardrailOutcome } from '../types.ts';
import { createScanner, createScannerPace, type Found, type Scanner, unitsOfALook, type Window } from './scanner.ts';

/**
 * The risks that the named packs find in a text of a few thousand characters; `isCut`: its end was cut off, so the beginning of
 * a number there is one, too.
 */
export type FindRisks = (text: string, packs: readonly string[], isCut: boolean) => readonly Risk[];

/** A risk; `own`: found by one of the account's own packs, so it counts in any category. */
export interface Risk extends Found {
  own?: boolean | undefined;
}

/** Judges the texts of one direction of one chat, and adds up the findings. */
export interface Judge {
  /** A plain text, with findings masked; `isCut`: its end was cut off. */
  text(text: string, isCut?: boolean): Promise<string>;
  /** The same for JSON: findings in strings and long numbers are masked so that it stays valid JSON. */
  json(text: string, isCut?: boolean): Promise<string>;
  scanner(): Scanner;
  readonly found: boolean;
  outcome(): GuardrailOutcome;
}

/** A request is available as a whole. */
export const inputWindow: Window = { step: 2_000, ahead: 500, behind: 500 };
/** A stream has to wait for what may follow; whole replies are judged with the same window, so that both get the same result. */
export const outputWindow: Window = { step: 256, ahead: 384, behind: 384 };

const order = ['info', 'low', 'medium', 'high', 'critical'];
const findingsMax = 100;

/** Creates the judge for one direction. */
export function createJudge(find: FindRisks, guardrail: Guardrail, window: Window): Judge {
  const { packs, categories, leastSeverity, action } = guardrail;
  const least = order.indexOf(leastSeverity);
  const counts = (one: Risk) =>
    order.indexOf(one.severity) >= least &&
    (one.own === true || categories.length === 0 || categories.includes(one.category));
  const scanners: Scanner[] = [];
  const pace = createScannerPace();

  function scanner(): Scanner {
    const made = createScanner((text, isCut) => find(text, packs, isCut).filter(counts), window, pace, counts);
    scanners.push(made);
    return made;
  }

  async function text(given: string, isCut?: boolean): Promise<string> {
    const one = scanner();
    return (await one.push(given)) + (await one.end(isCut));
  }

  return {
    text,
    scanner,
    async json(given, isCut) {
      if (!isJson(given)) return text(given, isCut);
      let left = '';
      let at = 0;
      for (const { literal, index } of literalsOf(given)) {
        if (literal === emptyLiteral) continue;
        left += given.slice(at, index) + (await literalLeft(literal, text));
        at = index + literal.length;
      }
      return left + given.slice(at);
    },
    get found() {
      return scanners.some(({ found }) => found.length > 0);
    },
    outcome: () => ({ action, findings: summed(scanners.flatMap(({ found }) => found)) }),
  };
}

/** Fewer characters than this, without the sign, are not meaningful as a number. */
const numberUnitsMin = 5;

/**
 * The strings of valid JSON, and its numbers that are long enough to be meaningful. Read by hand: a regular expression needs room
 * on the stack for each character, and a reply may be one string of millions.
 */
function* literalsOf(json: string): Generator<{ literal: string; index: number }> {
  for (let at = 0; at < json.length; ) {
    const index = at;
    if (json[at] === '"') {
      at = endOfString(json, at);
      yield { literal: json.slice(index, at), index };
    } else if (isOfNumber(json.charCodeAt(at))) {
      while (at < json.length && isOfNumber(json.charCodeAt(at))) at += 1;
      const digits = json[index] === '-' ? index + 1 : index;
      if (at - digits >= numberUnitsMin) yield { literal: json.slice(index, at), index };
    } else at += 1;
  }
}

function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote >= 0; quote = json.indexOf('"', quote + 1)) {
    let escapes = 0;
    while (json[quote - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** Digits, and `-+.eE`; of the letters of `true`, `false` and `null` the last one, which is too short for a number. */
function isOfNumber(unit: number): boolean {
  return (
    (unit >= 0x30 && unit <= 0x39) || unit === 0x2d || unit === 0x2b || unit === 0x2e || unit === 0x65 || unit === 0x45
  );
}

const emptyLiteral = '""';

/** The cost of judging a text, in UTF-16 units of a long one. */
export function unitsOfText(text: string): number {
  return text.length + unitsOfALook;
}

/** The same for JSON, in which each string is a text of its own. */
export function unitsOfJson(text: string): number {
  if (!isJson(text)) return unitsOfText(text);
  let units = unitsOfText(text);
  for (const { literal } of literalsOf(text)) if (literal !== emptyLiteral) units += unitsOfALook;
  return units;
}

async function literalLeft(literal: string, text: (given: string) => Promise<string>): Promise<string> {
  const meant = meaningOf(literal);
  const left = await text(meant);
  return left === meant ? literal : JSON.stringify(left);
}

function meaningOf(literal: string): string {
  if (literal.startsWith('"')) return JSON.parse(literal) as string;
  // 4.111111111111111e15 is a whole number, too.
  return /e/i.test(literal) && Number.isInteger(Number(literal)) ? String(Number(literal)) : literal;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function summed(found: readonly Found[]): GuardrailFinding[] {
  const sums = new Map<string, GuardrailFinding>();
  for (const { category, severity } of found) {
    const name = `${category} ${severity}`;
    const sum = sums.get(name) ?? { category, severity, count: 0 };
    sums.set(name, { ...sum, count: sum.count + 1 });
  }
  return [...sums.values()].slice(0, findingsMax);
}
