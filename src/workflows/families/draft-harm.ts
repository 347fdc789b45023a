import type { Slices } from '../../base/slices.ts';
import { fold } from '../../base/text/fold.ts';
import type { DraftLanguage, DraftWords } from '../packs/draft-language.ts';
import { readDraftSigns } from '../packs/draft-signs.ts';
import type { RiskEntry } from '../packs/risk-pack.ts';
import { type Tokens, tokensOf } from '../text/signs/index.ts';
import type { Spotted } from './spotted.ts';

const draftSigns = readDraftSigns();

/**
 * Where a draft threatens somebody, says that they did a crime, or turns them away for who they are. Whoever tells in it what
 * they suffer accuses nobody.
 */
export function* harmIn(
  body: string,
  language: DraftLanguage | undefined,
  spotted: readonly Spotted[],
  kind = '',
  words?: Tokens,
): Slices<Spotted[]> {
  const signs = language === undefined ? undefined : draftSigns.get(language);
  if (signs === undefined) return [];
  const text = withoutTitleDots(body);
  yield text.length * 2;
  const found = yield* signs.index.readInSlices(words?.text === text ? words : tokensOf(text, fold(text)));
  const suffered = spotted.filter(({ entry }) => entry.isVictim);
  return found.flatMap(({ sign, start, end }): Spotted[] => {
    const entry = signs.entries[sign] as RiskEntry;
    const isOfVictim = entry.id === 'accusation' && suffered.some((one) => one.start < end && start < one.end);
    // Who reports an illness has to say whose it is.
    const isReported = entry.category === 'privacy' && absences.has(kind);
    return isOfVictim || isReported ? [] : [{ entry, start, end, source: 'rules' }];
  });
}

// In English, German, Spanish and French.
const titles = /(?<![\p{L}.])(?:Mr|Mrs|Ms|Dr|Prof|Hr|Fr|Sr|Sra|Srta|Dra|D|Dña|M|Mme|Mlle)\.(?= \p{Lu})/gu;

/** The dot of a title would end the sentence between a person and what is said of them. */
function withoutTitleDots(text: string): string {
  return text.replace(titles, (title) => `${title.slice(0, -1)} `);
}

const absences: ReadonlySet<string> = new Set(['sick_note', 'leave_request']);
const harmful: ReadonlySet<string> = new Set(['threat', 'hate', 'harassment']);
const excluding: ReadonlySet<string> = new Set(['discrimination_hiring', 'discrimination_housing']);

/** What a letter promises in its sender's name, and no one can keep: a cure or a gain that is certain. */
const claims: ReadonlySet<string> = new Set(['misleading_health', 'misleading_finance']);

// What a risk check says of these is meant for the one who receives them.
const defrauding: ReadonlySet<string> = new Set(['off_platform_payment', 'advance_fee', 'phishing', 'impersonation']);

/**
 * What a draft says is sent in the writer's name, so a threat or an insult that is high in a text to be judged is critical here, and
 * so is the exclusion of people in a rejection. Weaker signs stay as they are: they are often wrong. Who drafts a threat is told to take it out, not to keep it as evidence,
 * and who drafts a lure is not told to beware of it.
 */
export function asInDrafts(
  spotted: readonly Spotted[],
  { threat, fraud }: DraftWords['checks'],
  kind: string,
): Spotted[] {
  return spotted.map((one) => {
    const { category, isVictim } = one.entry;
    if (isVictim) return one;
    const isGrave = harmful.has(category) || claims.has(category) || (kind === 'rejection' && excluding.has(category));
    const severity = one.entry.severity === 'high' && isGrave ? 'critical' : one.entry.severity;
    const words = category === 'threat' ? threat : defrauding.has(category) ? fraud : undefined;
    if (words === undefined) return { ...one, entry: { ...one.entry, severity } };
    const said = { reason: words.message, suggestion: words.action, isWorded: true } as const;
    return { ...one, entry: { ...one.entry, ...said, severity } };
  });
}
