import { roundTo } from '../../base/round.ts';
import { foldText } from '../../base/text/fold.ts';
import { spaced } from '../../base/text/spaced.ts';
import type { Indicator } from '../../gen/intelligence/workflow/v1/scoring_pb.ts';
import type { Plain } from '../family.ts';
import type { Message } from '../words/index.ts';

// Shares that may still be negative or above the whole: gains, losses and changes.
const signed =
  /marg(?:e\b|in|en\b)|growth|profit|change|cash.?flow|return.?on|\broi\b|\broe\b|result|balance|delta|varia|ebit|markup|net.?(worth|income)|wachstum|gewinn|ergebnis|(?:ver)?anderung|rendite|rentabil|aufschlag|saldo|crecimiento|beneficio|ganancia|cambio|incremento|croissance|benefice|evolution|solde|rendement|\bnps\b|promoter/;
const percentage = /percent|pct\b|%|\bshare\b|prozent|anteil|quote\b|porcentaje|\btasa\b|pourcentage|\btaux\b/;
// Parts of what is sold: may be negative, and never more than the whole.
const margin =
  /(?:gross|net|operating|profit|contribution|ebitda?) ?marg|(?:brutto|roh|netto|gewinn|umsatz|ebit-?)marge|handelsspanne|deckungsbeitragsquote|margen (?:bruto|neto|operativo|de beneficio|ebitda?)|marge (?:brute|nette|operationnelle|beneficiaire)/;
// The same words for a sum of money.
const sum =
  /[€$£]|\b(?:[kmt]?(?:eur|usd|gbp|chf)|euros?|amount|per(?! cent)|betrag|je|importe|por(?! ciento)|montant|par)\b/;
// Growth of what cannot be less than nothing: it never falls by more than all of it.
const growing =
  /(?:revenue|sales|turnover|customers?|users?|subscribers?|orders?|headcount) growth|growth (?:of|in) (?:revenue|sales|turnover|customers?|users?|orders?)|(?:umsatz|kunden|nutzer|auftrags)wachstum|wachstum de[rs] (?:umsatz|kunden)|crecimiento de (?:los |las )?(?:ingresos|ventas|clientes|usuarios|pedidos)|croissance d(?:u chiffre|es (?:ventes|revenus|clients|commandes))/;
const graded = /rating|stars|sterne|bewertung|estrellas|valoracion|puntuacion|etoiles|\bnote\b/;
// "1–5", "von 10", "sur 20".
const scale = /(?:\b(?:out of|von|sobre|sur)|\/) ?(5|6|10|20|100)\b|\b[01] (?:(?:to|bis|a) )?(5|6|10|20|100)\b/;

/** Why a number is impossible, by the indicator's bounds, or else by its kind and curve; undefined if it is possible. */
export function impossibleBecause(
  indicator: Plain<Indicator>,
  value: number,
  isFraction: boolean,
): ((label: string) => Message) | undefined {
  const { curve, min, max } = indicator;
  const words = wordsOf(indicator);
  const values = curve.map((point) => point.value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const isSigned = signed.test(words);
  const lowest = min ?? (growing.test(words) && isPercentage(words) ? -100 : isSigned || least < 0 ? undefined : 0);
  const isShare = isPercentage(words) && (!isSigned || margin.test(words)) && most <= 100;
  // A curve that ends at 1 is of fractions.
  const whole = most === 1 ? 1 : 100;
  const [, outOf, upTo] = graded.test(words) ? (scale.exec(words) ?? []) : [];
  const highest = max ?? (isShare ? whole : graded.test(words) ? Number(outOf ?? upTo ?? most) : undefined);
  if (lowest !== undefined && value < lowest)
    return (label) => ({ name: 'scorecard.below', values: { label, limit: lowest } });
  if (highest !== undefined && value > highest)
    return (label) => ({ name: 'scorecard.above', values: { label, limit: highest } });
  if (!isFraction) return undefined;
  const percent = roundTo(value * 100, 6);
  return (label) => ({ name: 'scorecard.fraction', values: { label, value, percent } });
}

/** Nobody needs to say that a margin is a percentage. */
export function isPercentage(words: string): boolean {
  return percentage.test(words) || (margin.test(words) && !sum.test(words));
}

// Figures that are percentages even where they do not say so.
const rates =
  /\brates?\b|uptime|availab|verfugbar|disponibilidad|disponibilite|occupan|auslastung|ocupacion|taux d'occupation|utili[sz]ation|retention|concentra|konzentration/;

/** Whether an indicator's number may be written with a percent sign. */
export function isRate(words: string): boolean {
  return (
    isPercentage(words) || rates.test(words) || ((signed.test(words) || oftenSmall.test(words)) && !sum.test(words))
  );
}

/** Whether it is a mark, such as stars. */
export function isGraded(words: string): boolean {
  return graded.test(words);
}

/** Where the scale of a mark ends, if the indicator says so: 5 in "stars out of 5". */
export function scaleEndOf(words: string): number | undefined {
  const [, outOf, upTo] = scale.exec(words) ?? [];
  const end = outOf ?? upTo;
  return end === undefined ? undefined : Number(end);
}

/** What an indicator's name and label say, folded. */
export function wordsOf({ name, label }: Plain<Indicator>): string {
  return foldText(`${spaced(name)} ${label}`);
}

// Percentages that are often below 1: what goes wrong, leaves or costs a little, and what answers or changes.
const oftenSmall =
  /defect|error|fault|fail|complain|return|refund|scrap|reject|waste|churn|turnover|attrition|absen|sick|accident|incident|fraud|bounce|conversion|click|respon|cancel|default|overdue|arrear|late\b|dispute|claim|downtime|loss|interest|inflation|\btax|\bfees?\b|commission|discount|unemploy|vacan|per share|mangel|fehler|ausschuss|reklamation|beschwerde|retoure|ruckgabe|rucklauf|storno|fluktuation|abwander|kundigung|kranken|fehlzeit|unfall|betrug|ausfall|ausfalle|verspat|verzug|streit|verlust|zins|steuer|gebuhr|provision|rabatt|skonto|konversion|klick|leerstand|arbeitslos|je aktie|defecto|fallo|averia|queja|reclamacion|devolucion|merma|rotacion|abandono|bajas?\b|absentismo|accidente|fraude|morosidad|impago|retraso|perdida|interes|inflacion|impuesto|comision|descuento|conversion|clic|cancelacion|desempleo|por accion|defaut|erreur|panne|reclamation|plainte|retour|rebut|attrition|resiliation|depart|desabonnement|rotation|absenteisme|accident|impaye|retard|litige|perte|interet|impot|frais|remise|annulation|chomage|vacance|par action/;
/** Whether it is a figure that is often below 1 percent. */
export function isOftenSmall(words: string): boolean {
  return oftenSmall.test(words);
}

// Of the figures that may be below zero, only this one is never a fraction of a percent in a business that goes on.
const grossMargin = /gross ?marg|bruttomarge|rohmarge|handelsspanne|margen bruto|marge brute/;

// A curve whose first step is lower than this looks at small percentages.
const firstStepLeast = 5;

/**
 * The percentages that were given as fractions: between 0 and 1, where a percentage so small makes no sense. A 1 beside
 * them is the whole, too.
 */
export function readFractions(
  indicators: readonly Plain<Indicator>[],
  numbers: ReadonlyMap<string, number>,
): ReadonlySet<string> {
  const given = indicators.flatMap((indicator) => {
    const value = numbers.get(indicator.name);
    return value !== undefined && value > 0 && value <= 1 && isLargePercentage(indicator)
      ? [{ name: indicator.name, value }]
      : [];
  });
  return new Set(given.some(({ value }) => value < 1) ? given.map(({ name }) => name) : []);
}

function isLargePercentage(indicator: Plain<Indicator>): boolean {
  const words = wordsOf(indicator);
  const steps = indicator.curve.map(({ value }) => value).filter((value) => value > 0);
  return (
    isPercentage(words) &&
    (indicator.max ?? 100) > 1 &&
    Math.min(...steps) >= firstStepLeast &&
    Math.max(...steps) <= 100 &&
    (signed.test(words) ? grossMargin.test(words) : !oftenSmall.test(words))
  );
}
