import type { Check, Outcome } from './check.ts';

/** A caller's pattern (RE2), and the text that it has to match as a whole. */
export interface PatternUse {
  /** Where the pattern stands in the request. */
  field: string;
  pattern: string;
  text: string;
}

/** A client's workflow as far as rules go: plain data that a child can be handed. */
export interface CustomRules {
  /** Names this version for ever, so that what was compiled can be kept. Undefined while it is not made yet. */
  id: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  outputSchema: Readonly<Record<string, unknown>>;
  checks: readonly Check[];
  fields: readonly { name: string; expression: string }[];
}

/**
 * What a run of a workflow comes to: the outcomes in the order of its checks. With `ok: false` the input does not fit, or a
 * field could not be computed.
 */
export type CustomOutcome =
  | { ok: true; output: Record<string, unknown>; fits: boolean; problem: string; outcomes: Outcome[]; score: number }
  | { ok: false; field: string; problem: string };

/** What a child is asked to do: everything in which a caller's own schemas, expressions or patterns run, as plain JSON. */
export interface Jobs {
  /** Runs checks over named JSON values. */
  checks: { checks: readonly Check[]; variables: Readonly<Record<string, unknown>> };
  patterns: { patterns: readonly PatternUse[] };
  /** Runs a workflow's rules; `drafted` are properties that a model proposes. */
  custom: { rules: CustomRules; input: unknown; drafted?: Readonly<Record<string, unknown>> | undefined };
  /** Compiles a JSON Schema, given as JSON, and holds a JSON text against it when there is one. */
  schema: { schema: string; text?: string | undefined };
  /** Counts the tokens of texts (o200k), each at most a piece, together. */
  tokens: { pieces: readonly string[] };
}

export type JobKind = keyof Jobs;

export interface Answers {
  checks: { outcomes: Outcome[] };
  patterns: { fits: boolean[] };
  custom: CustomOutcome;
  /** A text that is no JSON does not fit. True without a text. */
  schema: { fits: boolean };
  tokens: { tokens: number };
}

/**
 * The caller's own words are wrong: where, and why. A place that begins with `[` or `#` is below the field that the job is
 * about, an empty one is that field, any other is a field by itself.
 */
export interface Refused {
  refused: { at: string; problem: string };
}

export type Job = { [Kind in JobKind]: { kind: Kind } & Jobs[Kind] }[JobKind];

/** What a child says: that it can begin, or an answer; and how much processor time the process has had so far. */
export interface ChildMessage {
  answer: Answers[JobKind] | Refused | 'ready';
  cpuMicroseconds: number;
}
