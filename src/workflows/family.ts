import { type JsonValue, type Message, toJson } from '@bufbuild/protobuf';
import { type Value, ValueSchema } from '@bufbuild/protobuf/wkt';
import type { Result } from '../base/failure.ts';
import { FailureError, fail, invalid, succeed } from '../base/failure.ts';
import { tooLargeJson } from '../base/json-size.ts';
import type { Sliced } from '../base/slices.ts';
import type { Basis, Check } from '../gen/intelligence/workflow/v1/basis_pb.ts';
import type { ListingFact } from '../gen/intelligence/workflow/v1/readiness_pb.ts';
import type { PatternUse, Check as SandboxCheck } from '../sandbox/index.ts';
import type { CheckResult, CheckRule, Severity } from './checks/checks.ts';
import type { Spotted } from './families/spotted.ts';
import type { OwnRules, WantedPacks } from './own-packs/rules.ts';
import { english, notEvaluated, type Words } from './words/index.ts';

/** The families by the names used in prices, usage and entries. */
export const familyNames = ['guidance', 'readiness', 'risk', 'draft', 'decision', 'scoring', 'custom'] as const;
export type FamilyName = (typeof familyNames)[number];

/** A message's fields without those that only protobuf needs; fits both a message and a plain object. */
export type Plain<T> = T extends readonly (infer Item)[]
  ? Plain<Item>[]
  : T extends Value
    ? T
    : T extends Message<string>
      ? { [Field in keyof T as Field extends `$${string}` ? never : Field]: Plain<T[Field]> }
      : T;

/** Converts a protobuf value to the JSON value that it wraps; JSON objects are not wrapped. */
export function jsonOf(value: Plain<Value> | undefined): JsonValue {
  try {
    return value === undefined ? null : toJson(ValueSchema, value as Value);
  } catch {
    throw new FailureError(
      invalid('input', 'a number is NaN or infinite, or a value has no kind, which JSON cannot say'),
    );
  }
}

/** What a family computes: the reply without its cost. */
export type ReplyOf<Response> = Omit<Plain<Response>, 'usage' | 'balanceUsd'>;

/** What every reply has. */
export interface FamilyReply {
  summary: string;
  nextBestAction: string;
  missingFacts: string[];
  basis?: Plain<Basis> | undefined;
}

/** A parsed request: what the caller's own checks may look at, and the remaining computation. */
export interface Prepared<Reply> {
  /** As plain JSON. */
  variables: Readonly<Record<string, unknown>>;
  ownChecks: CheckRule[];
  /** Pure: the same results give the same reply. */
  compute(own: readonly CheckResult[]): Sliced<Reply>;
  /** The same with added evidence, which counts like what the rules find themselves. */
  reconsider?(own: readonly CheckResult[], evidence: Evidence): Sliced<Reply>;
}

/** Verified findings from outside the rules: each phrase and each quote appears in the request's text. */
export interface Evidence {
  spotted: readonly Spotted[];
  facts: readonly Plain<ListingFact>[];
}

/** Recomputes a reply with evidence, in turns. */
export type Reconsider<Reply> = (evidence: Evidence) => Promise<Reply>;

export type PatternFits = (pattern: string, text: string) => boolean;

/** What a family gets besides the request. */
export interface FamilyTerms {
  /** The moment that counts as now, in milliseconds since 1970; it decides whether dates are in the past or the future. */
  nowMs: number;
  /** Which texts match which of the caller's own patterns. */
  fits?: PatternFits | undefined;
  /** The account's own packs that the request wants; undefined: there are none. */
  ownPacks?: OwnRules | undefined;
}

/** One family of workflows: pure and deterministic; work that takes long for a long text comes in slices. */
export interface Family<Request, Reply extends FamilyReply> {
  name: FamilyName;
  /** The caller's own patterns, which run where they can be stopped. */
  patternsOf?(request: Request): PatternUse[];
  /** Which of the account's own packs apply; undefined: none. */
  ownPacksOf?(request: Request): WantedPacks | undefined;
  prepare(request: Request, terms: FamilyTerms): Sliced<Result<Prepared<Reply>>>;
}

const sizeMost = { values: 2000, levels: 16, characters: 200_000 };

/**
 * Rejects JSON with more than 2,000 values, more than 16 levels or more than 200,000 characters of text, so that whatever
 * reads it next finishes quickly.
 */
export function boundJson(field: string, json: unknown): Result<void> {
  const problem = tooLargeJson(json, sizeMost);
  return problem === undefined ? succeed(undefined) : fail(invalid(field, `${problem}; send only what counts`));
}

/** The caller's own checks as rules, with defaults filled in. */
export function ownRules(checks: readonly Plain<Check>[], words: Words = english): CheckRule[] {
  return checks.map((check) => ({
    id: check.id,
    fact: check.fact,
    when: check.when === '' ? undefined : check.when,
    pass: check.pass,
    weight: check.weight ?? 1,
    severity: (check.severity || 'medium') as Severity,
    message: check.message || words.say('check.failed', { id: check.id }),
    action: check.action || words.say('check.putRight', { fact: check.fact || check.id }),
    missing: check.fact !== '',
  }));
}

/** What the sandbox needs to know about a rule. */
export function checkOf({ id, when, pass, weight, severity }: CheckRule): SandboxCheck {
  return { id, when, pass, weight, blocks: severity === 'critical' };
}

/** What a check that passed or did not apply says. */
const silent = { message: '', action: '' };

/** The basis of a reply if rules alone decided. */
export function basisOf(results: readonly CheckResult[], packVersion: string, words: Words = english): Plain<Basis> {
  return {
    evaluator: 'rules',
    checks: results.map(({ rule, outcome }) => {
      const told = outcome === 'error' ? notEvaluated(rule, words) : outcome === 'failed' ? rule : silent;
      return {
        id: rule.id,
        fact: rule.fact,
        outcome,
        weight: rule.weight,
        severity: rule.severity,
        message: told.message,
        action: told.action,
      };
    }),
    model: '',
    packVersion,
    note: '',
  };
}
