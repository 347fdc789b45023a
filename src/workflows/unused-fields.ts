import { nearestName } from '../base/text/nearest.ts';
import type { UnusedField } from '../gen/intelligence/workflow/v1/unused_field_pb.ts';
import type { Plain } from './family.ts';
import { synonymIn } from './sense/synonyms.ts';

const toldMax = 100;

/** The names below `field` that nothing looks at, each with the nearest known name; at most 100. */
export function unusedFieldsOf(
  field: string,
  given: Readonly<Record<string, unknown>> | undefined,
  known: ReadonlySet<string>,
): Plain<UnusedField>[] {
  const unused = Object.keys(given ?? {}).filter((name) => !known.has(name));
  return unused.slice(0, toldMax).map((name) => ({
    field: `${field}.${name.slice(0, 200)}`,
    nearest: synonymIn(name, known) ?? nearestName(name, known) ?? '',
  }));
}
