import { amountOf, numeral } from '../plain-text.ts';
import { after, before, type FactPattern, type FactReader, type Kind } from './pattern.ts';

/** Words before an amount that is not the asking price. */
const otherPrice =
  /(?:neupreis|\bnp|listenpreis|originalpreis|face value|nennwert|valor nominal|valeur faciale|kaution|gekostet|bezahlt|\buvp|prix neuf|prix d'(?:achat|origine)|paye[es]*|achete[es]* |caution|depot de garantie|precio (?:nuevo|original|de compra)|\bcosto|pague|fianza|deposit|cost (?:me|new)|\bpaid|\brrp|(?:new|original|old|retail) price|\b(?:was|war|kostete|costaba|coutait)(?=[ :]{1,2}$)|\bstatt|instead of|originally|\bworth|\bvaleur|\bwert|\bvalorad[oa] en|(?:bought|purchased) (?:new )?for|gekauft (?:fur|um)|comprad[oa]s? (?:nuev[oa]s? )?por|anfahrt(?:spauschale)?|call.?out|\btravel(?: costs?| expenses| fee)?(?=[ :]{1,2}(?:of )?$)|fahrtkosten|deplacement|desplazamiento|anzahlung|senal de|senal|reserva|acompte|arrhes|hausgeld|nebenkosten|\bnk|heizkosten|comunidad|gastos|charges|taxe fonciere|\bibi|service charge|ground rent|council tax|mieteinnahmen?|jahres(?:netto)?(?:kalt)?miete|rental income|\bhoa|steuer(?!kette|gerat|ung|teil)|versicherung|\binsurance|(?<!pago )\bseguro|\bassurance|haftpflicht|responsabilidad civil|responsabilite civile|liability|versand(?:kosten)?|\bporto|shipping(?! container)|postage|\bposting|p&p|\bdelivery(?! (?:van|bike|bag))|loc(?:ation|\.)? (?:de (?:la )?)?batterie|batteri[ae] (?:en |a |de )?(?:location|alquiler|renting)|batteriemiete|akkumiete|battery (?:lease|hire|rental)|road tax|\bved|envio|franqueo|livraison|frais de port|\bport(?=[ :]{1,2}$)|\bexpedition(?=[ :]{1,2}$)|(?<!\bno )(?:registration|application|admin|booking|agency|joining|processing|training|handling) fees?|(?:anmelde|bearbeitungs|vermittlungs|aufnahme)gebuhr|frais d'(?:inscription|agence)|frais de dossier|cuota de inscripcion)[a-z :(]{0,16}(?:bis |de |of |von |up to |hasta |ca\. )?$/;

/** What was spent on a thing, or is paid for it in rates; a service may be this itself. */
const besideGoods =
  /(?:(?<!(?:zur|fur|bei) )\breparatur(?:kosten|en)?|\brepairs? (?:costs?|bills?|of)|(?<!para )\breparacion(?:es)?|(?<!pour )\breparations?|\bspent|\binvest(?:ed|iert)|\binvertid[oa]s?|\bgastad[oa]s?|\bdepenses?|\bausgegeben|\bleasing(?:rate)?|\bmonatsrate|\bmonatliche rate|\bmonthly|\bcuotas?|\bmensualites?|\bmensualidad(?:es)?)(?: (?:fur|von|of|for|ca|uber|over|about|around|nearly|more than|mehr als|mas de|plus de|ab|from|desde|a partir de|des|mensual|payments?|costs?|kostete?n?|de|was|war))*\.?[ :(]{1,3}$/;

const workDone =
  '(?:repariert|erneuert|gewechselt|getauscht|ausgetauscht|eingebaut|nachgerustet|repaired|replaced|fitted|installed|serviced|reparad[oa]s?|cambiad[oa]s?|sustituid[oa]s?|instalad[oa]s?|reparee?s?|changee?s?|remplacee?s?|installee?s?)';
/** What was spent on the thing's repair: "repariert für 1.200 €", "new clutch fitted (£650)", "(repariert 1.200 €)". */
const spentOn = new RegExp(
  `\\b${workDone}(?: (?:in|im|last|letzte[snm]|neu|recently|en|el|l'|l'an|year|jahr|ano|pasado|dernier|(?:19|20)\\d{2}))*(?: (?:fur|for|por|pour) | ?\\( ?)(?:ca\\. |about |uber |over )?$|\\([^()]{0,24}\\b${workDone}[ :]{1,2}$`,
);

/** What the thing once cost, by its invoice; "with invoice" before a sum is only what comes with the thing. */
const invoiced =
  /(?<!\b(?:mit|samt|inkl\.?|inklusive|con|avec|with|incl\.?|including|und|et|and|y|ohne|sin|sans|without|[&+]) (?:original |la |the |de )?)\b(?:facture|factura|rechnung|invoice)(?: (?:d'achat|de compra|de|of|uber|von|for|por|a))*[ :]{1,3}$/;

/** What follows an amount that is paid for something else, or was once: for sending the thing, as a tax, when it was bought. */
const forOther =
  /^ ?(?:anzahlung|kaution|(?:non.?refundable |holding |returnable )?deposit\b|acompte|arrhes|de (?:senal|fianza|reserva|caution|depot))|^[ -]?(?:gedenk|munz|coins?\b|commemorative|monedas?\b|conmemorativ)|^ ?(?:(?:a|per|im|al|par) (?:year|jahr|ano|an) )?(?:road ?tax|tax\b|ved\b|kfz-?steuer|steuer\b|impuesto|ground rent|service charge)|^ ?(?:for|fur|por|para|pour) (?:the |your |das |den |el |la |le |les |votre )?(?:reserv|hold (?:it|them|this|the)\b|secur|starter|training|registration|schulung|anmeldung|inscripcion|formation|inscription)|^ ?(?:for |fur |fur den |de |por |por el |pour |pour l'|les |le |l'|(?:(?:insured|tracked|signed|recorded|special|first class|royal mail|versicherter|certificado) )+)?(?:frais de port|frais d'envoi|gastos de envio|postage|post\b|p&p|shipping|delivery|posting|versand|porto|envio|franqueo|port\b|livraison|expedition)(?![a-z]*frei| (?:compris|inclus|offert|gratuit|gratis|inkl|frei|kostenlos|included|free|incluid))|^ ?to (?:build|fix|repair|replace|restore)\b|^ ?(?:neu |damals )?(?:(?:gekauft|bezahlt|gekostet|angeschafft|(?:neupreis|np)(?= ?(?:[.,;)!\n]|$))))/;

/** What follows an amount that buys or rents one square metre of a plot or a home: "145 €/m²". */
export const perSqm =
  ' ?(?:\\/|per|a|pro|je|el|al|por|le|au|du|par) ?(?:m2|m²|qm|sqm|sq\\.? ?m\\b|square met(?:er|re)|quadratmeter|metro cuadrado|metre carre)';
const isPerSqm = new RegExp(`^${perSqm}`);

/** What follows an amount that is paid again and again. */
const recurring =
  /^ ?(?:(?:\/|per|a|each|pro|im|je|jeden|al|por|cada|par|chaque) ?(?:calendar )?(?:month|monat|mes\b|mois|year(?! old)|jahr|ano\b|an\b|annum|week|woche|semana)|p\.? ?[ma]\b|mtl|monatl|jahrl|pcm\b|mensual|mensuel|anual|annuel|monthly|yearly)/;

/** All of it together is the asking price. */
const inclusive =
  /\b(?:(?:inkl|incl|including|incluid|compris|inclus|plus|warm)[a-z.]*|mit|con|avec) (?:[a-z]+ ){0,2}[a-z :(]{0,16}$/;

const currency = '€|euros?\\b|eur\\b|£|quid|\\$|chf\\b';
// "iPhone 12 VB 300" asks for what comes after.
const negotiable = '(?:vhb|vb|fp|festpreis|ono|o\\.n\\.o\\.?|obo)(?![a-z]| ?:? ?[€£$]? ?\\d)';
/** Words right before a sum that is asked for. */
const askingWords =
  "asking(?: price)?|price|preis|festpreis|verkaufspreis|vhb|vb|fp|precio|pido|pedimos|prix|je (?:l[ae]s? |l')?vends?|j'en (?:demande|veux)|selling(?: it| them)?|verkaufe(?: (?:es|ihn|sie))?|(?:hatte|mochte) (?:ich )?(?:gerne? |dafur |noch )*|vendo|se vende|jetzt|now|ahora|maintenant";
/** A home is bought for its Kaufpreis; goods once were. A shop that is handed over is asked for beside its rent. */
const askingForHomes = `kaufpreis|traspas[oa](?: por)?|precio del traspaso|cession(?: (?:du |de )?(?:fonds|bail)(?: de commerce)?)?|pas de porte|guide price|offers (?:over|around)|offers in (?:the )?(?:region|excess) of|oiro|precio de venta|prix de vente|${askingWords}`;
const askingFillers =
  '(?: (?:is|ist|de|of|von|est|es|at|a|pour|por|el|ella|fur|um|for|vb|vhb|only|just|nur|noch|solo|fijo|ferme|final|demande|negociable|verhandelbar))*[ :.]{1,3}';

/** What makes a number after "VB" something else: a measure, or a part of a longer number. */
const besideSum = 'km|tkm|gb|tb|cm|mm|m\\b|m2|m²|kg|g\\b|ps\\b|kw|w\\b|x\\b|zoll|mah|stk|stuck|jahre|uhr|[.,/:-]?\\d|%';

/** A sum with a word beside it by which it is asked for counts before any other. */
const askedBy = (words: string) =>
  new RegExp(
    `(?<![a-z])(?<!(?:new|old|original|retail|list|purchase|store|shop) )(?:${words})${askingFillers}(?:(?:[€£$]|\\b(?:eur|chf|usd|gbp)) ?((?:${numeral})k?)(?!\\d)|((?:${numeral})k?) ?(?:${currency}|,-|${negotiable}))|(?<![a-z])(?:vhb|vb|fp|festpreis)[ :]{1,2}((?:${numeral})k?)(?! ?(?:${besideSum}))|(?<![\\d.,])[€£$]? ?((?:${numeral})k?) ?(?:${currency})?(?:,-+)? ?[-,(]? ?${negotiable}`,
    'g',
  );
const maySayAsked =
  /asking|price|preis|precio|prix|pido|pedimos|vend|demande|veux|verkaufe|selling|hatte|mochte|jetzt|now|ahora|maintenant|vhb|vb|fp|ono|o\.n\.o|obo|offers|oiro|traspas|cession|porte/;
const anySum = new RegExp(
  `(?:[€£$]|\\b(?:eur|chf|usd|gbp)) ?((?:${numeral})k?)(?!\\d)|(?<![\\d.,])((?:${numeral})k?) ?(?:${currency}|vb\\b(?! ?:? ?[€£$]? ?\\d))|(?<![\\d.,])((?:${numeral})) (?:per hour|an hour|online|por hora|die stunde|pro stunde|de l'heure)`,
  'g',
);

const goods: readonly Kind[] = ['vehicles', 'electronics', 'furniture', 'fashion', 'generic'];
const others: readonly Kind[] = ['property', 'jobs', 'services'];

/** Names that a number belongs to: of "iPhone 12 300 €" the thing is an iPhone 12, and "S21 250 €" is no 21,250. */
const numbered =
  /(?:\b(?:iphone|ipad|galaxy|pixel|playstation|ps|xbox|gopro|hero|series|serie|redmi|note|xiaomi|mi|oneplus|huawei|oppo|realme|honor|nokia|fairphone|watch|switch|windows|kindle)(?: (?:pro|plus|max|mini|note|hero|watch|series|serie))? ?|[a-z])$/;

/** A sum without the number of a name that stands before it. */
const sumOf = (match: RegExpExecArray, text: string) => {
  const written = match[1] ?? match[2] ?? match[3] ?? match[4] ?? '';
  const [, own] = /^\d{1,2} (\d{3}(?:[.,]\d{1,2})?k?)$/.exec(written) ?? [];
  const at = match.index + match[0].indexOf(written);
  const isNumbered = own !== undefined && numbered.test(text.slice(Math.max(0, at - 24), at));
  return String(amountOf(isNumbered ? own : written));
};
const isForOther = (match: RegExpExecArray, text: string) => forOther.test(after(text, match, 34));
/** Titles of goods that are not sold: what is paid for them by the day or the week is their price. */
const hiring =
  /\b(?:(?:for|to) (?:hire|rent)|hire|rentals?|zu (?:ver)?mieten|zum mieten|mieten|vermietung|vermiete|verleih[a-z]*|alquil(?:er|o|a|amos)|louer|location (?!batterie))/;
export const isHiredOut = (text: string) => hiring.test(text.split('\n', 1)[0] ?? '');
/** Goods that are sold are paid once: a leasing rate and an insurance are not their price. */
const isBesideGoods = (match: RegExpExecArray, text: string) =>
  (recurring.test(after(text, match, 20)) && !isHiredOut(text)) ||
  besideGoods.test(before(text, match, 40)) ||
  spentOn.test(before(text, match, 48));

const readAsked: FactReader = (match, text) => (isForOther(match, text) ? undefined : sumOf(match, text));
const readAny: FactReader = (match, text) =>
  isForOther(match, text) ||
  invoiced.test(before(text, match, 48)) ||
  (otherPrice.test(before(text, match, 40)) && !inclusive.test(before(text, match, 44)))
    ? undefined
    : sumOf(match, text);

function priceOf(kinds: readonly Kind[], pattern: RegExp, read: FactReader, needs?: RegExp): FactPattern {
  return { fact: 'price', type: 'number', kinds, pattern, read, ...(needs ? { needs } : {}) };
}

/** Reads a sum unless it is none that goods are sold for. */
const once =
  (read: FactReader): FactReader =>
  (match, text) =>
    isBesideGoods(match, text) ? undefined : read(match, text);

/** Tiles are sold by the square metre; of a home or a plot this is no price of the whole. */
const ofWhole =
  (read: FactReader): FactReader =>
  (match, text) =>
    isPerSqm.test(after(text, match, 24)) ? undefined : read(match, text);

/** The asking price of any thing. */
export const pricePatterns: readonly FactPattern[] = [
  priceOf(goods, askedBy(askingWords), once(readAsked), maySayAsked),
  priceOf(others, askedBy(askingForHomes), ofWhole(readAsked), maySayAsked),
  priceOf(goods, anySum, once(readAny)),
  priceOf(others, anySum, ofWhole(readAny)),
];
