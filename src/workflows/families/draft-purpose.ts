import { fold, foldText } from '../../base/text/fold.ts';
import { bareName, type DraftKind, draftKinds, draftWords, neutralKind } from '../packs/draft-kinds.ts';
import { readDraftPurposes } from '../packs/draft-purposes.ts';
import { tokensOf } from '../text/signs/index.ts';

const strongWord = 3;
const weakWord = 1;
const fieldNamed = 0.5;
const fieldsMax = 4;
const clearAt = 2;
// A purpose begins with what is asked for; the patterns look at each position several times.
const foldedMax = 500;

const draftPurposes = readDraftPurposes();

/**
 * The kind that a purpose clearly names: by its words in any of the languages, or by what they say together, then by the names of
 * the given facts. The neutral form if no words point to a kind, or if as many point to another.
 */
export function kindOfPurpose(purpose: string, names: readonly string[]): DraftKind {
  const folded = foldedPurpose(purpose);
  const said = saidTogether(purpose, names);
  const heard = [...draftKinds.values()].flatMap((kind) => {
    const words = wordsFor(kind.id, folded);
    const together = said.get(kind.id) ?? folded.length;
    const points = said.has(kind.id) ? Math.max(words.points, strongWord) : words.points;
    const at = Math.min(words.at, together);
    return points === 0 ? [] : [{ kind, points: points + fieldsNamed(kind, names), at }];
  });
  const strong = heard.filter(({ points }) => points >= strongWord);
  const left = heard.filter(({ kind }) => !strong.some((other) => other.kind.beats.includes(kind.id)));
  // If two score the same, the one mentioned first is what is asked for.
  left.sort((a, b) => b.points - a.points || a.at - b.at);
  const [first, second] = left;
  if (!first || first.points < clearAt) return neutralKind;
  if (second && second.points === first.points && second.at === first.at) return neutralKind;
  return isForOccasion(folded, first.kind, names) ? neutralKind : first.kind;
}

/** Whether a letter is for an occasion that is no document of that kind: who answers a complaint does not complain. */
function isForOccasion(folded: string, kind: DraftKind, names: readonly string[]): boolean {
  for (const { occasions } of draftWords.values())
    for (const { purpose, over, unlessNamed } of Object.values(occasions)) {
      if (!over.includes(kind.id) || !purpose.test(folded)) continue;
      if (!names.some((name) => unlessNamed.includes(kind.byName.get('en')?.get(bareName(name)) ?? ''))) return true;
    }
  return false;
}

/** The kind that a request names: by id, or by a word that is clear in any of the languages, such as "quote" or "devis". */
export function kindCalled(name: string): DraftKind | undefined {
  const known = draftKinds.get(name);
  if (known !== undefined || name === '') return known;
  const meant = kindOfPurpose(name.replace(/[_-]/g, ' '), []);
  return meant === neutralKind ? undefined : meant;
}

/** What a letter of no kind is for, if the purpose says so in one of the languages: thanks, congratulations, news. */
export function occasionOf(purpose: string): string | undefined {
  const folded = foldedPurpose(purpose);
  for (const { occasions } of draftWords.values())
    for (const [id, { purpose: said }] of Object.entries(occasions)) if (said.test(folded)) return id;
  return undefined;
}

function wordsFor(id: string, folded: string): { points: number; at: number } {
  let points = 0;
  let at = folded.length;
  for (const { kinds } of draftWords.values()) {
    const strong = kinds[id]?.strong.exec(folded);
    const weak = kinds[id]?.weak.exec(folded);
    const found = (strong ? strongWord : 0) + (weak ? weakWord : 0);
    if (found > points) points = found;
    at = Math.min(at, strong?.index ?? at, weak?.index ?? at);
  }
  return { points, at };
}

/** The kinds whose signs are in a purpose and the names of its facts, with the place of the first one. */
function saidTogether(purpose: string, names: readonly string[]): Map<string, number> {
  const text = `${purpose.slice(0, foldedMax)}.\n${names.join(', ').slice(0, foldedMax)}`;
  const tokens = tokensOf(text, fold(text));
  const said = new Map<string, number>();
  for (const { kinds, index } of draftPurposes)
    for (const { sign, start } of index.read(tokens)) {
      const kind = kinds[sign] as string;
      said.set(kind, Math.min(said.get(kind) ?? start, start));
    }
  return said;
}

/** A named fact points to the kinds that know its field, but a reader or a sender points to none, as any document has them. */
function fieldsNamed(kind: DraftKind, names: readonly string[]): number {
  const fields = new Set(names.map((name) => kind.byName.get('en')?.get(bareName(name))));
  const own = [...fields].filter(
    (field) => field !== undefined && !neutralKind.fields.has(field) && field !== 'contact',
  );
  return Math.min(own.length, fieldsMax) * fieldNamed;
}

/** The beginning of a purpose, as patterns read it. */
export function foldedPurpose(purpose: string): string {
  return foldText(purpose).slice(0, foldedMax);
}
