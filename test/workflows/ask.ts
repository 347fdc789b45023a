import { type DescMessage, fromJson, type JsonValue, type MessageShape } from '@bufbuild/protobuf';
import type { Result } from '../../src/base/failure.ts';
import { atOnce } from '../../src/base/slices.ts';
import { runChecks } from '../../src/sandbox/cel/checks.ts';
import { celVariables } from '../../src/sandbox/cel/expressions.ts';
import { compileCallersChecks } from '../../src/sandbox/child/caller-expressions.ts';
import { matchPatterns } from '../../src/sandbox/child/patterns.ts';
import type { Family, FamilyReply, Prepared } from '../../src/workflows/family.ts';

/** The reply of a family to a request as a caller writes it, by rules alone. */
export function ask<Schema extends DescMessage, Request, Reply extends FamilyReply>(
  family: Family<Request, Reply>,
  schema: Schema,
  json: unknown,
): Reply {
  const prepared = prepare(family, schema, json);
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.failure));
  const { variables, ownChecks, compute } = prepared.value;
  const compiled = compileCallersChecks(ownChecks);
  if (!compiled.ok) throw new Error(compiled.problem);
  const results = runChecks(compiled.checks, celVariables(variables));
  return atOnce(compute(ownChecks.map((rule, index) => ({ rule, outcome: results[index]?.outcome ?? 'error' }))));
}

export function prepare<Schema extends DescMessage, Request, Reply extends FamilyReply>(
  family: Family<Request, Reply>,
  schema: Schema,
  json: unknown,
): Result<Prepared<Reply>> {
  const message: MessageShape<Schema> = fromJson(schema, json as JsonValue);
  const request = message as unknown as Request;
  const patterns = family.patternsOf?.(request) ?? [];
  const matched = matchPatterns({ patterns });
  if ('refused' in matched) throw new Error(matched.refused.problem);
  return atOnce(
    family.prepare(request, {
      nowMs: Date.parse('2026-11-22T12:00:00Z'),
      fits: (pattern, text) =>
        patterns.some((use, index) => use.pattern === pattern && use.text === text && matched.fits[index] === true),
    }),
  );
}

/** The paths of the fields that a refused request names. */
export function refusedFields(result: Result<unknown>): string[] {
  if (result.ok || result.failure.kind !== 'invalid_argument') return [];
  return result.failure.violations.map(({ field }) => field);
}
