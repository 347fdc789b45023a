import { foldText } from '../base/text/fold.ts';
import { nearestName } from '../base/text/nearest.ts';
import type { UnusedField } from '../gen/intelligence/workflow/v1/unused_field_pb.ts';
import type { Plain } from './family.ts';
import { synonymIn } from './sense/synonyms.ts';

const toldMax = 100;
/** Names for which a similar one is searched: comparing a name with all labels of a large scorecard takes milliseconds. */
const nearestMax = 20;

/** What a known name is called, in whatever languages: by label, the name. */
export type Labels = Iterable<readonly [label: string, name: string]>;

/** The names below `field` that nothing looks at, each with the nearest known name; at most 100. */
export function unusedFieldsOf(
  field: string,
  given: Readonly<Record<string, unknown>> | undefined,
  known: ReadonlySet<string>,
  labels: Labels = [],
): Plain<UnusedField>[] {
  const unused = Object.keys(given ?? {}).filter((name) => !known.has(name));
  if (unused.length === 0) return [];
  const named = new Map<string, string>();
  for (const [label, name] of labels) if (known.has(name) && !named.has(bare(label))) named.set(bare(label), name);
  const similar = (name: string) => nearestName(name, known) ?? nearLabel(name, named);
  return unused.slice(0, toldMax).map((name, index) => ({
    field: `${field}.${name.slice(0, 200)}`,
    nearest: named.get(bare(name)) ?? synonymIn(name, known) ?? (index < nearestMax ? similar(name) : undefined) ?? '',
  }));
}

function nearLabel(name: string, named: ReadonlyMap<string, string>): string | undefined {
  const wanted = bare(name);
  // A long name that only contains a short label ("Nombre de la tienda") asks for something else.
  const near = nearestName(
    wanted,
    [...named.keys()].filter(({ length }) => length * 2 > wanted.length),
  );
  return near === undefined ? undefined : named.get(near);
}

function bare(name: string): string {
  return foldText(name.slice(0, 100)).replace(/[^\p{L}\p{N}]/gu, '');
}
