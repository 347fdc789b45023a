import { foldText } from '../base/text/fold.ts';
import { createNearest } from '../base/text/nearest.ts';
import type { UnusedField } from '../gen/intelligence/workflow/v1/unused_field_pb.ts';
import type { Plain } from './family.ts';
import { synonymIn } from './sense/synonyms.ts';

const toldMax = 100;
/** Names for which a similar one is searched, of those that are unused in one place. */
const nearestMax = 20;
/** The most comparisons of names for one set of known names: 5 us each at worst. Names beyond that get no similar one. */
const comparisonsMax = 3_000;

/** What a known name is called, in whatever languages: by label, the name. */
export type Labels = Iterable<readonly [label: string, name: string]>;

/** The names below `field` that nothing looks at, each with the nearest known name; at most 100. */
export type FindUnused = (field: string, given: Readonly<Record<string, unknown>> | undefined) => Plain<UnusedField>[];

/** Finds what is unused in several places of a request in which the same names are known. */
export function createFindUnused(known: ReadonlySet<string>, labels: Labels = []): FindUnused {
  let meant: ReturnType<typeof createMeant> | undefined;
  return (field, given) => {
    const unused = Object.keys(given ?? {}).filter((name) => !known.has(name));
    if (unused.length === 0) return [];
    meant ??= createMeant(known, labels);
    const { certain, similar } = meant;
    return unused.slice(0, toldMax).map((name, index) => ({
      field: `${field}.${name.slice(0, 200)}`,
      nearest: certain(name) ?? (index < nearestMax ? similar(name) : ''),
    }));
  };
}

/** The same for one place. */
export function unusedFieldsOf(
  field: string,
  given: Readonly<Record<string, unknown>> | undefined,
  known: ReadonlySet<string>,
  labels: Labels = [],
): Plain<UnusedField>[] {
  return createFindUnused(known, labels)(field, given);
}

/** What unknown names are meant for: those that are certain by a label or a synonym, and those that are similar. */
function createMeant(known: ReadonlySet<string>, labels: Labels) {
  const named = new Map<string, string>();
  for (const [label, name] of labels) if (known.has(name) && !named.has(bare(label))) named.set(bare(label), name);
  const nearest = createNearest(known);
  const nearestLabel = createNearest(named.keys());
  const found = new Map<string, string>();
  const comparisons = known.size + named.size;
  let searches = 0;

  function search(name: string): string {
    searches += 1;
    if (searches > 1 && searches * comparisons > comparisonsMax) return '';
    const wanted = bare(name);
    // A long name that only contains a short label ("Nombre de la tienda") asks for something else.
    const label = () => nearestLabel(wanted, ({ length }) => length * 2 > wanted.length);
    return nearest(name) ?? named.get(label() ?? '') ?? '';
  }

  return {
    certain: (name: string) => named.get(bare(name)) ?? synonymIn(name, known),
    similar(name: string) {
      const before = found.get(name);
      if (before !== undefined) return before;
      const meant = search(name);
      found.set(name, meant);
      return meant;
    },
  };
}

function bare(name: string): string {
  return foldText(name.slice(0, 100)).replace(/[^\p{L}\p{N}]/gu, '');
}
