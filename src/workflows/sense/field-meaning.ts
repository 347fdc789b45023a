import { foldText } from '../../base/text/fold.ts';

/** What a field of a form asks for, as far as its name or label reveals it. */
export type Meaning =
  | 'iban'
  | 'bic'
  | 'vat'
  | 'currency'
  | 'postcode'
  | 'birth'
  | 'past'
  | 'expiry'
  | 'person'
  | 'street'
  | 'company';

// In English, German, Spanish and French; the first match counts.
const meanings: readonly (readonly [Meaning, RegExp])[] = [
  ['iban', /\biban\b/],
  ['bic', /\b(bic|swift)\b/],
  [
    'vat',
    /\b(vat (id|number|no|nr)|vatid|vat|tax (id|number|no)|taxid|steuernummer|numero fiscal|ust id(nr)?|ustid(nr)?|uid nummer|nif iva|numero de tva|tva intracommunautaire|tva|umsatzsteuer id)\b/,
  ],
  ['currency', /\b(currency|waehrung|wahrung|moneda|devise)\b/],
  ['postcode', /\b(post ?code|postal ?code|zip|zip ?code|plz|postleitzahl|codigo postal|code postal|cp)\b/],
  [
    'birth',
    /\b(birth ?date|date of birth|birth ?day|born|dob|geburtsdatum|geburtstag|fecha de nacimiento|date de naissance)\b/,
  ],
  [
    'expiry',
    /\b(expiry|expires|expiration|valid until|gultig bis|valido hasta|caducidad|valable jusqu ?au|expire le)\b/,
  ],
  [
    'past',
    /\b(founded|established|incorporated|registered on|gegrundet|grundung|fundada|fundacion|fondee|creation|issue date|issued on|invoice date)\b/,
  ],
  [
    'person',
    /\b(full ?name|first ?name|last ?name|given ?name|family ?name|surname|vorname|nachname|nombre|apellidos?|prenom|nom)\b/,
  ],
  ['company', /\b(company ?name|legal ?name|firma|firmenname|business ?name|razon social|raison sociale)\b/],
  ['street', /\b(address ?line( 1)?|address|street|strasse|adresse|direccion|rue|calle)\b/],
];

/** `sellerVatId` and "VAT ID of the seller" both ask for a `vat`. */
export function meaningOf(name: string, label: string): Meaning | undefined {
  const words = foldText(`${name.replace(/([a-z\d])([A-Z])/g, '$1 $2')} ${label}`.replace(/[_.-]/g, ' '));
  if (/\b(rate|amount|percent|satz|betrag|tasa|importe|taux|montant)\b/.test(words)) return undefined;
  return meanings.find(([, pattern]) => pattern.test(words))?.[0];
}
