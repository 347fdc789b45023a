import { amountOf, numeral } from '../plain-text.ts';
import { before, COUNT, type FactPattern, numberWithin } from './pattern.ts';

const perHour =
  "(?:netto |brutto |inkl\\.? mwst\\.? |ttc |ht |\\+ ?iva |iva incluido )?(?:/ ?(?:h\\b|hr\\b|hour|std|stunde|hora|heure)|(?:per|an|pro|die|je|por|la|a la) ?(?:hour|stunde|std\\b|hora)|(?:de |par )(?:l'|h)?heure|ph\\b)";

/** Facts read about a service. */
export const servicePatterns: readonly FactPattern[] = [
  {
    // What a job sells or uses online says nothing about where the work is done.
    fact: 'remote',
    kinds: ['services'],
    pattern: /\bonline\b|en ligne/g,
    read: (match, text) => (/(?:book|apply|shop|termin[a-z]*) $/.test(before(text, match, 10)) ? undefined : 'true'),
  },
  {
    fact: 'pricePerHour',
    type: 'number',
    kinds: ['services'],
    fields: ['priceperhour', 'hourlyrate', 'stundensatz', 'stundenlohn', 'preciohora', 'tarifhoraire', 'tarifahora'],
    pattern: new RegExp(
      `(?:[€£$]|\\bchf|\\bfr\\.) ?(${numeral}) ?(?:p\\.?h\\b|${perHour})|(?<![\\d.,])(${numeral}) ?(?:€|eur(?:os?)?|chf|£) ?${perHour}|(?:stundensatz|stundenpreis|hourly rate|tarifa por hora|precio por hora|tarif horaire|taux horaire)(?: (?:of|von|ab|de|from|desde))?[ :]{1,2}[€£]? ?(${numeral})`,
      'g',
    ),
    needs: /hour|stunde|std|hora|heure|\/ ?h|\d ?p\.?h\b/,
    read: (match) => String(amountOf(match[1] ?? match[2] ?? match[3] ?? '')),
  },
  {
    fact: 'priceFrom',
    type: 'number',
    kinds: ['services'],
    fields: ['pricefrom', 'preisab', 'preciodesde', 'prixapartirde'],
    pattern: new RegExp(
      `(?<![a-z])(?:from|ab|desde|a partir de|des)[ :]{1,2}(?:[€£$] ?(${numeral})|(${numeral}) ?(?:€|eur|chf|£))`,
      'g',
    ),
    read: (match) => String(amountOf(match[1] ?? match[2] ?? '')),
  },
  {
    fact: 'minimumHours',
    kinds: ['services'],
    fields: ['minimumhours', 'mindestbuchung', 'minimohoras', 'minimumheures'],
    pattern: new RegExp(
      `(?:minimum|min\\.?|mindestens|mindestbuchung|mindestauftrag|minimo|at least|al menos|au moins)(?: (?:of|de|von|charge|booking))?[ :]{1,2}${COUNT} ?(?:h\\b|hours?|std\\b|stunden?|horas?|heures?)|${COUNT}[ -](?:hours?|stunden?|horas?|heures?) (?:minimum|minimo|mindestens)`,
      'g',
    ),
    read: numberWithin(0.5, 48),
  },
  {
    fact: 'liabilityCover',
    type: 'number',
    kinds: ['services'],
    fields: ['liabilitycover', 'insurance', 'haftpflicht', 'seguro', 'assurance'],
    pattern: new RegExp(
      `(?:haftpflicht(?:versicherung)?|versichert|liability(?: cover| insurance)?|insured|insurance|responsabilidad civil|seguro|responsabilite civile|rc pro)[a-z :]{0,24}[€£$]? ?(${numeral})( ?(?:m\\b|mio\\.?|million(?:en|es|s)?|millones))?(?= ?(?:€|eur|chf|£|[.,;)]|$))`,
      'g',
    ),
    read: (match) => {
      const value = amountOf(match[1] ?? '') * (match[2] === undefined ? 1 : 1_000_000);
      return value >= 1000 ? String(value) : undefined;
    },
  },
  {
    // "£2m public liability": the sum comes first.
    fact: 'liabilityCover',
    type: 'number',
    kinds: ['services'],
    needs: /liability|haftpflicht|responsabili/,
    pattern: new RegExp(
      `(?<![\\d.,])(${numeral}) ?(?:m\\b|mio\\.?|million(?:en|es|s)?|millones) ?(?:€|£|eur(?:os?)?|chf)? ?(?:(?:of|de|d'|in|public|betriebs|seguro) ?)*(?:liability|haftpflicht|responsabilidad civil|responsabilite civile)`,
      'g',
    ),
    read: (match) => String(amountOf(match[1] ?? '') * 1_000_000),
  },
];
