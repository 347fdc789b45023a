import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Failure, fail, invalid, type Result, succeed } from '../base/failure.ts';
import type { Sandbox } from './sandbox.ts';
import { schemaText } from './schema-text.ts';

/** Callers' JSON Schemas, compiled and checked in the sandbox. */
export interface Schemas {
  /**
   * Proves that a schema can be compiled. Fails with `invalid_argument` on `field` and the path in the schema
   * (`field#/properties/a/pattern`), and as `Sandbox.run` does. Results are cached for a minute or longer.
   */
  prove(
    owner: string,
    schema: Readonly<Record<string, unknown>>,
    terms: { field: string; user?: string | undefined; signal?: AbortSignal | undefined },
  ): Promise<Result<CallersSchema>>;
}

export interface CallersSchema {
  /**
   * Whether a text is JSON that fits. Fails as `Sandbox.run` does: `invalid_argument` if the check could not be finished,
   * `overloaded` if no child had time for it within `waitMs`.
   */
  fits(text: string, waitMs: number): Promise<Result<boolean>>;
}

const knownMax = 5_000;
/** A refused schema may have been unlucky, so it is tried again after a while. */
const refusedMs = 60_000;

type Known = { ok: true } | { ok: false; at: string; problem: string };

export function createSchemas(sandbox: Sandbox): Schemas {
  const known = new LRUCache<string, Known>({ max: knownMax });
  return {
    async prove(owner, schema, { field, user, signal }) {
      const written = schemaText(schema);
      if (!written.ok) return fail(invalid(field, written.problem));
      const { text } = written;
      const key = createHash('sha256').update(text).digest('base64');
      // Also when the schema is known to compile: before a model is asked for a reply that would not be checked.
      const refusal = () => sandbox.refusal(owner, 'schema', { schema: text }, { field, key, user });
      const refused = refusal();
      if (refused) return fail(refused);
      let found = known.get(key);
      if (!found) {
        const proven = await sandbox.run(owner, 'schema', { schema: text }, { field, signal, key, user });
        if (!proven.ok && proven.failure.kind !== 'invalid_argument') return proven;
        // What this sender's code has done says nothing about the schema when others send it.
        if (!proven.ok && refusal()) return proven;
        found = proven.ok ? { ok: true } : refusalIn(proven.failure, field);
        known.set(key, found, found.ok ? {} : { ttl: refusedMs });
      }
      if (!found.ok) return fail(invalid(`${field}${found.at}`, found.problem));
      return succeed({
        async fits(reply, waitMs) {
          const answer = await sandbox.run(
            owner,
            'schema',
            { schema: text, text: reply },
            { field, waitMs, key, user },
          );
          return answer.ok ? succeed(answer.value.fits) : answer;
        },
      });
    },
  };
}

/** Another caller may use a different field name for the same schema, so the path is cached without the field. */
function refusalIn(failure: Failure, field: string): Known {
  const [violation] = failure.kind === 'invalid_argument' ? failure.violations : [];
  return {
    ok: false,
    at: violation?.field.slice(field.length) ?? '',
    problem: violation?.description ?? 'cannot be compiled',
  };
}
