import { ownValue } from '../../base/own-value.ts';
import { after, before, type FactPattern } from './patterns/pattern.ts';

/** A "not", with nothing but articles and the like between it and what follows. */
const denied =
  /\b(?:not|no|isn'?t|aren'?t|never|nothing|nicht|nichts|kein(?:e[mnrs]?)?|nie|niemals|non|pas|rien|jamais|ni|nunca|jamas|nada|sin|ohne|sans|without)(?: (?:it|an?|the|any|fully|totally|yet|at|been|mehr|noch|ganz|un[ao]?|une|de|du|le|la|en|es|esta|ha|sido|fue|ete|really|quite|ein(?:e[mnrs]?)?)| d')* ?$/;
const deniedUnits = 28;

/** What may end a sentence that denies: not "not in the centre". */
const end = '(?= ?(?:[,.;:!?)/|\\n]|- |$|(?:but|aber|sondern|sino|mais)\\b))';

/**
 * A "no" that comes after the words: as an answer ("Automatik: nein", "pets allowed? no", but not "furnished - no pets"), or at the end
 * of a sentence about them ("Möbliert ist sie nicht", "Teilzeit ist leider nicht möglich").
 */
const deniedAfter = new RegExp(
  [
    `^ ?[:?=-]{0,2} ?(?:no|nein|non|nope)(?:,? (?:sorry|leider|unfortunately|lo siento|desole))?${end}(?!\\.? ?\\d)`,
    `^ (?:ist|sind|war|hat|haben|geht|gibt es|wird|werden|bieten wir)(?: (?:sie|er|es|das|die|der|ich|wir|hier|wohnung|auto|wagen|zimmer|haus|leider|aber|noch|derzeit|momentan|aktuell|auch))* (?:nicht|kein(?:e[mnrs]?)?)(?: (?:mehr|moglich|vorgesehen|vorhanden|dabei|erwunscht|gewunscht|erlaubt|gestattet|verfugbar|machbar|geplant|angeboten))?${end}`,
    '^(?: (?:leider|derzeit|aktuell))* nicht (?:moglich|vorgesehen|vorhanden|erwunscht|gewunscht|erlaubt|gestattet|verfugbar|machbar|angeboten)(?![a-z])',
    `^ (?:it|she|he|they)(?:'s| is| has| are)(?: (?:not|no longer)|n't)${end}`,
    `^(?: (?:work|hours|position))?(?: (?:is|are|was|were)(?=n't| ))?(?: (?:unfortunately|sadly|currently|sorry))*(?: ?not|n't)(?: currently| yet)? (?:possible|available|an option|offered|on offer|included|considered|accepted|permitted)\\b`,
    `^ no (?:lo )?(?:esta|es|tiene|hay)${end}`,
    `^ no (?:es|esta|son) (?:posible|disponible)|^ no se (?:ofrece|contempla|admite|acepta)`,
    `^,? (?:elle|il|ce) (?:ne l'est|n'est|ne l'a) pas${end}`,
    `^ (?:n'est |ne sont |est )?(?:malheureusement )?pas (?:possible|disponible|propose|accepte|envisage|prevu)`,
  ].join('|'),
);
const deniedAfterUnits = 64;

/** The seller does not vouch for what was just said: "Unfallfrei kann ich nicht bestätigen", "Unfallfrei? Weiß ich nicht". */
const notVouched =
  /^(?:[^.;,\n]{0,24}\b(?:nicht (?:bestatigen|garantieren|zusichern|sagen|belegen)|can(?:no|')?t (?:confirm|guarantee|promise)|can not (?:confirm|guarantee)|no (?:lo )?(?:puedo|podemos) (?:confirmar|garantizar|asegurar)|(?:peux|pouvons) pas (?:le |la )?(?:confirmer|garantir|assurer))|[? -]{0,3}(?:(?:ist |das |es )*wei(?:ss|ß) ich (?:leider |aber )?nicht|i (?:do not|don't) know|not sure|no (?:lo )?se\b|(?:je )?(?:ne )?sais pas))/;
const notVouchedUnits = 64;

/** The seller asks rather than says it: "ob unfallfrei", "not sure if". Needs a "don't know", before or after. */
const asked = /\b(?:ob|whether|if|si)(?: [a-z']+){0,3} $/;
const unknownBefore =
  /(?:wei(?:ss|ß) (?:leider |ich |aber )*nicht|nicht sicher|keine ahnung|not (?:sure|know|certain)|n't know|no idea|no se|ni idea|sais pas),? (?:ob|whether|if|si)(?: [a-z']+){0,3} $/;
const unknownAfter =
  /^[^.;\n]{0,24}\b(?:wei(?:ss|ß) (?:ich|man|wir) (?:leider |aber )?nicht|(?:i|we) (?:do not|don't) know|not (?:sure|known)|no (?:lo )?se\b|sais pas)/;
const askedUnits = 48;

/** What a match states whose words are denied: the opposite where there is one, otherwise nothing. */
export function unlessDenied(
  { denied: opposites }: FactPattern,
  value: string | undefined,
  match: RegExpExecArray,
  text: string,
): string | undefined {
  if (value === undefined || opposites === undefined) return value;
  const next = after(text, match, notVouchedUnits);
  if (notVouched.test(next)) return undefined;
  const words = before(text, match, askedUnits);
  if (unknownBefore.test(words) || (asked.test(words) && unknownAfter.test(next))) return undefined;
  const isDenied = denied.test(words.slice(-deniedUnits)) || deniedAfter.test(next.slice(0, deniedAfterUnits));
  if (!isDenied) return value;
  return ownValue(opposites, value);
}
