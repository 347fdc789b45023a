import { type DescMessage, fromJson, type JsonValue, type MessageShape } from '@bufbuild/protobuf';
import type { Result } from '../../src/base/failure.ts';
import { compileChecks, runChecks } from '../../src/workflows/checks/checks.ts';
import type { Family, FamilyReply } from '../../src/workflows/family.ts';

/** The reply of a family to a request as a caller writes it, by rules alone. */
export function ask<Schema extends DescMessage, Request, Reply extends FamilyReply>(
  family: Family<Request, Reply>,
  schema: Schema,
  json: unknown,
): Reply {
  const prepared = prepare(family, schema, json);
  if (!prepared.ok) throw new Error(JSON.stringify(prepared.failure));
  const { variables, ownChecks, compute } = prepared.value;
  return compute(runChecks(compileChecks(ownChecks, 'caller'), variables));
}

export function prepare<Schema extends DescMessage, Request, Reply extends FamilyReply>(
  family: Family<Request, Reply>,
  schema: Schema,
  json: unknown,
): ReturnType<Family<Request, Reply>['prepare']> {
  const message: MessageShape<Schema> = fromJson(schema, json as JsonValue);
  return family.prepare(message as unknown as Request);
}

/** The paths of the fields that a refused request names. */
export function refusedFields(result: Result<unknown>): string[] {
  if (result.ok || result.failure.kind !== 'invalid_argument') return [];
  return result.failure.violations.map(({ field }) => field);
}
