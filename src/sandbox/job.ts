import type { Check, Outcome } from './check.ts';

/** A caller's pattern (RE2), and the text that must match it entirely. */
export interface PatternUse {
  /** The pattern's path in the request. */
  field: string;
  pattern: string;
  text: string;
}

/** The rules of a client's workflow: plain data that can be sent to a child. */
export interface CustomRules {
  /** Permanently identifies this version, so that what was compiled can be cached. Undefined until it is created. */
  id: string | undefined;
  inputSchema: Readonly<Record<string, unknown>>;
  outputSchema: Readonly<Record<string, unknown>>;
  checks: readonly Check[];
  fields: readonly { name: string; expression: string }[];
}

/**
 * The result of a workflow run: the outcomes in the order of its checks. With `ok: false`, the input does not fit, or a field
 * could not be computed.
 */
export type CustomOutcome =
  | { ok: true; output: Record<string, unknown>; fits: boolean; problem: string; outcomes: Outcome[]; score: number }
  | { ok: false; field: string; problem: string };

/** The jobs of a child: everything that runs a caller's own schemas, expressions or patterns, as plain JSON. */
export interface Jobs {
  /** Runs checks over named JSON values. */
  checks: { checks: readonly Check[]; variables: Readonly<Record<string, unknown>> };
  patterns: { patterns: readonly PatternUse[] };
  /** Runs a workflow's rules; `drafted` are properties proposed by a model. */
  custom: { rules: CustomRules; input: unknown; drafted?: Readonly<Record<string, unknown>> | undefined };
  /** Compiles a JSON Schema, given as JSON, and checks a JSON text against it, if there is one. */
  schema: { schema: string; text?: string | undefined };
  /** Counts the tokens (o200k) of several texts together, each at most a piece long. */
  tokens: { pieces: readonly string[] };
}

export type JobKind = keyof Jobs;

export interface Answers {
  checks: { outcomes: Outcome[] };
  patterns: { fits: boolean[] };
  custom: CustomOutcome;
  /** Text that is not JSON does not fit. True without a text. */
  schema: { fits: boolean };
  tokens: { tokens: number };
}

/**
 * Something the caller wrote is wrong: where, and why. A path that begins with `[` or `#` is below the field that the job is
 * about, an empty one is that field, and any other is a field of its own.
 */
export interface Refused {
  refused: { at: string; problem: string };
}

export type Job = { [Kind in JobKind]: { kind: Kind } & Jobs[Kind] }[JobKind];

/** A child's message: that it is ready, or an answer; with the process' CPU time so far. */
export interface ChildMessage {
  answer: Answers[JobKind] | Refused | 'ready';
  cpuMicroseconds: number;
}
