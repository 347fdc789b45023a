import { foldText } from '../../base/text/fold.ts';
import { countryCodeOf } from './countries.ts';
import { nationalityOf } from './nationalities.ts';

/** Over the folded words of a field: it asks of what nationality somebody is. */
export const asksNationality = /national|staats(?:ang|burg)|citizen|nacional|ciudadania|citoyen/;
/** Over the folded words of a field: it asks for countries, more than one perhaps. */
export const asksCountries =
  /\bcountries\b|\b(?!bundes)\w*lander\b|\bpaises\b|\bpays (?:visites|desservis|servis|livres|concernes|de (?:livraison|vente))|\bnationalities|staatsangehorigkeiten|nacionalidades|nationalites/;

const regions =
  /^(?:the )?(?:e\.?u\.?|u\.?e\.?|european union|europaische union|union europea|union europeenne|eea|ewr|eee|schengen\w*|europ[ae]|dach|benelux|(?:north|south|latin|central|nord|sud|latein|mittel) ?amerika|(?:north|south|latin|central) america|(?:norte|sud|latino|centro) ?america|america (?:del norte|del sur|latina|central)|amerique (?:du nord|du sud|latine|centrale)|s[ck]andinavi(?:a|en|e)|escandinavia|nordics|baltics|baltikum|middle east|naher osten|oriente (?:medio|proximo)|(?:moyen|proche) orient|asia|asien|asie|africa|afrika|afrique|ocean[iy]a|oceanie|ozeanien|world ?wide|weltweit|global(?:ly)?|international(?:ly)?|todo el mundo|mundial|(?:le )?monde entier|all countries|alle lander|todos los paises|tous les pays)$/;

/** Longer lists are not judged. */
const listMax = 20_000;

/** What of a list of countries is none, nor a region of several; undefined if there is nothing of that kind. */
export function noCountryIn(text: string): string | undefined {
  return text.length > listMax ? undefined : partsOf(text, isCountry).find((part) => !isCountry(part));
}

/** Whether a text names a nationality or several: "deutsch", "British and Irish", "DE". */
export function isNationality(text: string): boolean {
  const parts = text.length > listMax ? [] : partsOf(text, isOfACountry);
  return parts.length > 0 && parts.every(isOfACountry);
}

function isCountry(text: string): boolean {
  return countryCodeOf(text) !== undefined || regions.test(foldText(text));
}

function isOfACountry(text: string): boolean {
  return countryCodeOf(text) !== undefined || nationalityOf(text) !== undefined;
}

/** Some countries have an "and" in their names. */
function partsOf(text: string, isKnown: (part: string) => boolean): string[] {
  const listed = text
    .split(/[,;/+&\n]/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
  return listed.flatMap((part) => (isKnown(part) ? [part] : part.split(/ (?:and|und|y|e|et|sowie) /)));
}
