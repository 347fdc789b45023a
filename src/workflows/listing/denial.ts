import { after, before, type FactPattern } from './patterns/pattern.ts';

/** A "not", with nothing but articles and the like between it and what follows. */
const denied =
  /\b(?:not|no|isn'?t|aren'?t|never|nicht|kein(?:e[mnrs]?)?|nie|non|pas|ni|nunca|sin|ohne|sans|without)(?: (?:it|an?|the|any|fully|yet|at|mehr|noch|un[ao]?|une|de|du|le|la|en|es|esta|really|quite|ein(?:e[mnrs]?)?)| d')* ?$/;
const deniedUnits = 28;

/** The seller does not vouch for what was just said: "Unfallfrei kann ich nicht bestätigen". */
const notVouched =
  /^[^.;,\n]{0,24}\b(?:nicht (?:bestatigen|garantieren|zusichern|sagen|belegen)|can(?:no|')?t (?:confirm|guarantee|promise)|can not (?:confirm|guarantee)|no (?:lo )?(?:puedo|podemos) (?:confirmar|garantizar|asegurar)|(?:peux|pouvons) pas (?:le |la )?(?:confirmer|garantir|assurer))/;
const notVouchedUnits = 64;

/** What a match states whose words are denied: the opposite where there is one, otherwise nothing. */
export function unlessDenied(
  { denied: opposites }: FactPattern,
  value: string | undefined,
  match: RegExpExecArray,
  text: string,
): string | undefined {
  if (value === undefined || opposites === undefined) return value;
  if (notVouched.test(after(text, match, notVouchedUnits))) return undefined;
  return denied.test(before(text, match, deniedUnits)) ? opposites[value] : value;
}
