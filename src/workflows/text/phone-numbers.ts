/** Looked at before and after a number, in UTF-16 units. */
const nearUnits = 48;

// What a number is called that is none of a telephone, right before it. Words that people also call to ("order", "customer") need
// the word for a number.
const numberWord = String.raw`(?:[\s-]*(?:numbers?|nummer|nr|no|num|número|numero|n°|nº|n\.º|id|code|#))`;
const named = [
  String.raw`isbn(?:[-\s]?1[03])?|issn|ean|gtin|upc|asin|sku|oem|imei|siret|siren|iccid|barcode|c[oó]digo de barras|code[-\s]barres`,
  `invoice|(?:order|customer|client|account|case|reference|ref|article|item|part|tracking|parcel|tax|vat|serial|model|policy|contract|member(?:ship)?|booking|ticket|file)${numberWord}|reference`,
  String.raw`rechnung|aktenzeichen|az|(?:rechnungs|bestell|kunden|auftrags|sendungs|artikel|teile|steuer|vertrags|mitglieds|vorgangs|serien|referenz|versicherungs|konto|ticket|buchungs|beleg|liefer(?:schein)?)[-\s]?(?:nummer|nr)`,
  String.raw`factura|expediente|(?:n[uú]mero|n[.º°]+|nº|núm\.?) de (?:pedido|factura|cliente|referencia|serie|expediente|contrato|socio|env[ií]o|p[oó]liza|seguimiento)|referencia|ref`,
  "facture|(?:num[eé]ro|n[.º°]+|nº) (?:de |d['’])?(?:commande|facture|client|dossier|s[eé]rie|contrat|suivi|adh[eé]rent|siret|siren|police|r[eé]f[eé]rence|article)|r[eé]f[eé]rence|r[eé]f",
  String.raw`gr(?:ö|oe)(?:ß|ss)en?|gr|sizes?|tallas?|pointures?|tailles?|lotto(?:\s?zahlen|\s?numbers)?|loto|loter[ií]a|euromillions|scores?|results?|ergebnisse?|resultados?|r[eé]sultats?`,
].join('|');
const otherLabel = new RegExp(String.raw`(?<![\p{L}\d])(?:${named})${numberWord}?[\s.:#°º]{0,4}$`, 'iu');

// Between the digits of sums and counts there are blanks, too: "12 500 000 euros".
const thousands = /^[1-9]\d{0,2}(?: \d{3}){2,}(?: ?- ?[1-9]\d{0,2}(?: \d{3}){1,})?$/;
const unitAfter =
  /^[\s,.\d]{0,4}(?:€|\$|£|¥|%|(?:euros?|eur|usd|chf|gbp|dollars?|d[oó]lares|pesos|pounds?|francs?|franken|livres|millones|millions?|inhabitants|people|residents|visitors|users|views|copies|units|einwohner|menschen|personen|besucher|nutzer|aufrufe|stück|exemplare|habitantes|personas|visitas|usuarios|unidades|ejemplares|habitants|personnes|visiteurs|utilisateurs|vues|exemplaires|km|kilometer|miles|tonnen|tonnes|tons|toneladas|m²|m2|kwh)(?![\p{L}\d]))/iu;
const unitBefore =
  /(?:[€$£]|\b(?:eur|usd|chf|gbp)|\b(?:population|inhabitants|einwohner(?:zahl)?|poblaci[oó]n|habitantes|habitants|budget|presupuesto|umsatz|revenue|turnover|ingresos|chiffre d['’]affaires|total|summe|sum|bev[oö]lkerung))(?: (?:of|de|von|is|was|ist|es|est|was about))?[\s:]{0,3}$/iu;

const day = String.raw`(?:0?[1-9]|[12]\d|3[01])`;
const month = '(?:0?[1-9]|1[0-2])';
const year = String.raw`(?:19|20)\d\d`;
// A month and its year may be half a number, unless a sentence ends after them.
const dateFirst = new RegExp(
  String.raw`^(?:(?:${year}([-/.])${month}\1${day}|${day}([-/.])${month}\2(?:${year}|\d\d))\.?|${month}[/.]${year}\.) +(?=\d)`,
);
const pairs = /^\d{1,2}(?:[.:]\d\d)? ?- ?\d{1,2}(?:[.:]\d\d)?(?: \d{1,2}(?:[.:]\d\d)? ?- ?\d{1,2}(?:[.:]\d\d)?)+$/;
const reference = /^(?:19|20)\d\d[-/]\d+(?:[-/]\d+)+$/;
/** A year and a number after letters of an office: "LN/2023/0118". */
const ofYear = /^[-/]?(?:19|20)\d\d[-/]\d+$/;
const officeBefore = /(?<![\p{L}\d])\p{Lu}{1,6}[-/]?$/u;

/** Where a telephone number begins in a run of digits and separators; undefined if it is something else. */
export function phoneAt(text: string, start: number, candidate: string): number | undefined {
  const [date = ''] = dateFirst.exec(candidate) ?? [];
  const number = candidate.slice(date.length);
  return isPhone(text, start + date.length, number) ? start + date.length : undefined;
}

function isPhone(text: string, start: number, number: string): boolean {
  const digits = number.replace(/\D/g, '');
  if (digits.length < 8 || digits.length > 15) return false;
  if (number.startsWith('+')) return true;
  const looksDecimal = /^\d{1,3}([.,]\d{3})*([.,]\d+)?$/.test(number) || /^\d+[.,]\d+$/.test(number);
  const isDate = /^\d{4}[-/.]\d{1,2}[-/.]\d{1,2}$|^\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}$/.test(number);
  // From one number to another with the same number of digits: pay, years.
  const isRange = /^[1-9]\d{3,4} ?- ?[1-9]\d{3,4}$/.test(number);
  if (looksDecimal || isDate || isRange || pairs.test(number) || reference.test(number)) return false;
  // Digits alone may be anything; a leading zero or separators suggest a telephone number.
  if (!/^[0(]/.test(number) && !/\d[ \-/]\d/.test(number)) return false;
  if (isBook(digits) || isSeries(number)) return false;
  const before = text.slice(Math.max(0, start - nearUnits), start);
  if (otherLabel.test(before) || (ofYear.test(number) && officeBefore.test(before))) return false;
  const end = start + number.length;
  return !(thousands.test(number) && (unitAfter.test(text.slice(end, end + nearUnits)) || unitBefore.test(before)));
}

/** An ISBN, with its check digit. */
function isBook(digits: string): boolean {
  if (!/^97[89]\d{10}$/.test(digits)) return false;
  let sum = 0;
  for (const [at, digit] of [...digits].entries()) sum += Number(digit) * (at % 2 === 0 ? 1 : 3);
  return sum % 10 === 0;
}

const seriesMin = 4;
const stepMax = 6;
const drawnMin = 6;

/** Sizes in a row ("36 37 38 39", "128 134 140 146"), or the numbers of a lottery. */
function isSeries(number: string): boolean {
  if (!/^\d{2,3}(?:([ \-/.])\d{2,3})(?:\1\d{2,3})+$/.test(number)) return false;
  const values = number.split(/\D/).map(Number);
  const steps = values.slice(1).map((value, at) => value - (values[at] as number));
  if (steps.some((step) => step <= 0)) return false;
  return values.length >= drawnMin || (values.length >= seriesMin && steps.every((step) => step <= stepMax));
}
