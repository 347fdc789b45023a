import type { ChoiceReader, FactPattern } from './patterns/pattern.ts';
import { besideRent } from './patterns/property.ts';
import { amountOf, numeral } from './plain-text.ts';

// Facts whose values are names from a list, and those that several kinds of things share.

const colours: readonly (readonly [string, RegExp])[] = [
  ['black', /black|schwarz|negr|noir/],
  ['white', /white|weiss|weiß|blanc/],
  ['silver', /silver|silber|plata|plateado|argent/],
  ['grey', /gr[ae]y|grau|gris|anthra|antraz|antrac|titan/],
  ['red', /\bred|\brot|roj[oa]|rouge|burgundy|weinrot|granate/],
  ['blue', /blue|blau|azul|bleu|navy|marino|turquoise|turkis|turquesa/],
  ['green', /green|grun|verde|\bvert|oliv|kh?aki/],
  ['yellow', /yellow|gelb|amarill|jaune/],
  ['orange', /orange|naranja/],
  ['brown', /brown|braun|marron|brun/],
  ['beige', /beige|creme?\b|crema|cream|ecru|camel/],
  ['gold', /gold|bronze|dorad|\bdore/],
  ['purple', /purple|lila|morad|violet/],
  ['pink', /pink|rosa|\brose/],
];
const colourWords =
  '(?:dark |light |pearl |phantom |metallic |dunkel|hell|perl)?(?:black|white|silver|gr[ae]y|red|blue|green|yellow|brown|beige|purple|pink|schwarz(?:e[nrs]?)?|(?<!\\b(?:ich|man|wer|niemand) )wei(?:ss|ß)(?:e[nrs]?)?(?! (?:ich|man|wer|niemand|leider|nicht)\\b)|silber(?:n|grau)?|grau(?:e[nrs]?)?|rot(?:e[nrs]?)?|blau(?:e[nrs]?)?|grun(?:e[nrs]?)?|gelb(?:e[nrs]?)?|braun(?:e[nrs]?)?|negr[oa]s?|blanc[oa]s?|plateado|gris(?:es?)?|roj[oa]s?|azul(?:es)?|verdes?|violett|violetas?|lila|morad[oa]s?|bronze|amarill[oa]s?|marron(?:es)?|noire?s?|blanche?s?|blancs?|rouges?|bleue?s?|vert[es]?s?|jaunes?|plata|gold(?:en)?|dorad[oa]s?|rosa|dore|argent|violette?|naranja|creme|orange|titan(?:ium|e|io)?|anthrazit|antracita|anthracite|navy|marineblau|marino|oliv(?:e|grun|a)?|kh?aki|camel|camello|burgundy|weinrot|granate|turquoise|turkis|turquesa|cream|ecru)';
/** Refers to something other than the thing offered. */
const otherThing =
  /interior|leather|seats|innen|leder|sitze|cuero|asientos|tapizado|cuir|sieges|cover|case|hulle|funda|strap|armband|curtain|wheels|alloys|felgen|llantas|jantes|roof|dach|techo|\btoit\b|calipers|bremssattel|key|karte|\bcarte|card|box\b|caja|boite/;

const symbols: readonly (readonly [string, RegExp])[] = [
  ['EUR', /€|eur/],
  ['GBP', /£|gbp|quid|pound/],
  ['USD', /\$|usd|dollar/],
  ['CHF', /chf|sfr|franken/],
];

function firstOf(known: readonly (readonly [string, RegExp])[]): ChoiceReader {
  const read = (match: RegExpExecArray) => known.find(([, pattern]) => pattern.test(match[0]))?.[0];
  return Object.assign(read, {
    type: 'choice' as const,
    choices: known.map(([name]) => name),
    choose: (plain: string) => known.find(([, pattern]) => pattern.test(plain))?.[0],
  });
}

const colourOf = firstOf(colours);

export const namedFacts: readonly FactPattern[] = [
  {
    fact: 'colour',
    denied: {},
    kinds: ['vehicles', 'electronics', 'furniture', 'fashion'],
    fields: ['colour', 'color', 'farbe', 'couleur', 'aussenfarbe'],
    pattern: new RegExp(`(?<![a-z])${colourWords}(?![a-z])`, 'g'),
    read: Object.assign(
      (match: RegExpExecArray, text: string) => {
        const next =
          text.slice(match.index + match[0].length, match.index + match[0].length + 14).split(/[.;,]/)[0] ?? '';
        const before =
          text
            .slice(Math.max(0, match.index - 14), match.index)
            .split(/[.;,]/)
            .at(-1) ?? '';
        return otherThing.test(next) || otherThing.test(before) ? undefined : colourOf(match, text);
      },
      { type: colourOf.type, choices: colourOf.choices, choose: colourOf.choose },
    ),
  },
  {
    fact: 'currency',
    kinds: [],
    fields: ['currency', 'wahrung', 'waehrung', 'moneda', 'devise'],
    pattern: new RegExp(
      `(?:[€£]|\\b(?:us?\\$|u\\$s)|\\$|\\b(?:eur|chf|usd|gbp)) ?(?:${numeral})|(?<![\\d.,])(?:${numeral}) ?k? ?(?:€|£|\\$|euros?\\b|eur\\b|gbp\\b|usd\\b|chf\\b|quid\\b|pounds\\b|dollars\\b)`,
      'g',
    ),
    read: firstOf(symbols),
  },
  {
    fact: 'bathrooms',
    type: 'number',
    kinds: ['property'],
    fields: ['bathrooms', 'baths', 'bader', 'badezimmer', 'banos', 'sallesdebains', 'sallesdebain', 'sdb'],
    pattern:
      /\b(\d|one|two|three|ein|eine|zwei|drei|un|dos|tres|une|deux|trois)[ -]?(?:full )?(?:ba(?:th(?:room)?s?)?|bader|bad(?:ezimmer)?|(?:cuartos? de )?banos?|salles? d[e'] ?(?:bains?|eau)|sd[be])\b/g,
    read: (match) => {
      const said = match[1] ?? '';
      const named = [/^(?:one|ein|eine|un|une)$/, /^(?:two|zwei|dos|deux)$/, /^(?:three|drei|tres|trois)$/].findIndex(
        (word) => word.test(said),
      );
      return named >= 0 ? String(named + 1) : said;
    },
  },
  {
    fact: 'rentPerMonth',
    type: 'number',
    kinds: ['property'],
    fields: ['rent', 'rentpermonth', 'kaltmiete', 'miete', 'nettokaltmiete', 'alquiler', 'loyer', 'monthlyrent'],
    pattern: new RegExp(
      `(?<![a-z])(?<!ground )(?:km|nkm|wm|kaltmiete|nettokaltmiete|warmmiete|miete|mtl\\.? miete|alquiler|renta|loyer|rent)(?: mensuale?| mensuel| charges comprises| hors charges| [ch]c)?[ :]{1,3}(?:von |de |is |of |betragt |ist )?(?:(?=[€£$])[€£$] ?|(?=[\\d., ']+-? ?(?:€|eur|chf|£|warm|kalt)))((?:${numeral}))(?:,-)?(?: ?(?:€|eur(?:os?)?\\b|chf|£))?|(?:[€£$]|\\b(?:eur|chf|usd|gbp)) ?((?:${numeral})) ?(?:pcm\\b|p/m|/ ?mo(?:nth)?\\b|(?:per|a) (?:calendar )?month|cold\\b|kalt)|(?<![\\d.,])(\\d{3,4}|\\d[.,]\\d{3}) ?(?:kalt|warm|pcm)(?![a-z])|((?:${numeral}))(?:,-)? ?(?:€|eur(?:os?)?\\b|chf\\b) ?(?:/ ?(?:mes|monat|mois|month)|kalt|kaltmiete|(?:im|pro|al|par|a|per|le) (?:monat|mes|mois|month)|mensuales|mensuels?|mtl|monatlich|warm|pcm|\\+ ?bills|hors charges|hc\\b|cc\\b|charges comprises)`,
      'g',
    ),
    read: (match, text) =>
      besideRent.test(text.slice(Math.max(0, match.index - 28), match.index))
        ? undefined
        : String(amountOf(match[1] ?? match[2] ?? match[3] ?? match[4] ?? '')),
  },
  {
    fact: 'salaryPeriod',
    kinds: ['jobs'],
    fields: ['salaryperiod', 'payperiod'],
    mayState: ['salary', 'pay', 'gehalt', 'lohn', 'salario', 'sueldo', 'salaire'],
    pattern:
      /(?:(?<![\d.,])\d[\d.,]{0,9}(?:[ ']\d{3}){0,2} ?(?:€|£|\$|eur(?:os?)?|chf|usd|gbp|k)?|€|£|\$|eur(?:os?)?|chf|usd|gbp|k|brutto|brutos?|bruts?|gross|netto|netos?|nets?)[ -]{0,2}(?:(?:brutto|brutos?|bruts?|gross|plus|netto|netos?|nets?)[ -]{0,2})?(?:\/ ?(?:h|hr|hour|std|stunde\.?|hora|heure|day|tag|dia|jour|week|woche|month|monat|mes|mois|year|jahr|ano|an)\b|ph\b|p\.?a\.?\b|per annum|(?:per|an?|pro|im|die|por|al|a la|la|par|de l'|the|je|jede|a) ?(?:hour|stunde|hora|heure|day|tag|dia|jour|week|woche|semana|semaine|month|monat|mes|mois|year|annum|jahr|ano|an)\b|stundenlohn|jahresgehalt|monatlich|jahrlich|anuales|mensuales|annuels?|mensuels?|jahresbrutto)/g,
    read: firstOf([
      ['hour', /\/ ?h|ph\b|hour|stunde|std|hora|heure/],
      ['week', /week|woche|semana|semaine/],
      ['month', /month|monat|\bmes|mensual|mois|mensuel/],
      ['year', /year|annum|jahr|jahrlich|\bano|\ban\b|anual|annuel|p\.?a/],
      ['day', /day|\btag|\bdia|jour/],
    ]),
  },
];
