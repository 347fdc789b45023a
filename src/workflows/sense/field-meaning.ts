import { foldText } from '../../base/text/fold.ts';
import { spaced } from '../../base/text/spaced.ts';
import { knownNumberOf } from './known-numbers.ts';

/** What a field of a form asks for, as far as its name or label reveals it. */
export type Meaning =
  | 'iban'
  | 'bic'
  | 'number'
  | 'vat'
  | 'currency'
  | 'postcode'
  | 'birth'
  | 'founded'
  | 'past'
  | 'expiry'
  | 'wished'
  | 'company'
  | 'person'
  | 'contact'
  | 'city'
  | 'street';

// In English, German, Spanish and French; the first match counts.
const meanings: readonly (readonly [Meaning, RegExp])[] = [
  ['iban', /\biban\b/],
  ['bic', /\b(bic|swift)\b/],
  [
    'vat',
    /\b(vat (id|number|no|nr)|vatid|vat|tax (id|number|no)|taxid|steuernummer|numero fiscal|ust id(nr)?|ustid(nr)?|uid nummer|mwst ?(nr|nummer)|nif iva|numero de tva|tva intracommunautaire|tva|umsatzsteuer id)\b/,
  ],
  ['currency', /\b(currency|waehrung|wahrung|moneda|devise)\b/],
  ['postcode', /\b(post ?code|postal ?code|zip|zip ?code|plz|postleitzahl|codigo postal|code postal|cp)\b/],
  [
    'birth',
    /\b(birth ?date|date of birth|birth ?day|born|dob|geburtsdatum|geburtstag|geb datum|geb|geboren am|fecha (de )?nac(imiento)?|nacid[oa] el|date (de )?naissance|nee? le|naissance|nacimiento)\b/,
  ],
  [
    'expiry',
    /\b(expiry|expires?|expiration|valid (un)?til|valid (to|thru)|gultig bis|ablaufdatum|lauft ab|valido hasta|valida hasta|caducidad|caduca|valable jusqu ?'?au|valide jusqu ?'?au|date de validite|expire le)\b/,
  ],
  [
    'founded',
    /\b(founded|established|incorporated|(date|year) of (incorporation|formation)|registered on|gegrundet|grundung(sdatum|sjahr|stag)?|fundad[oa]|fundacion|constitucion|fondee?|creation|creee? le|gruendungsjahr)\b/,
  ],
  ['past', happenings()],
  [
    'wished',
    /wunsch\w*(termin|datum|tag)|gewunscht\w* (termin|datum|tag|liefer)|\b(desired|preferred|requested|wished) (\w+ )?(date|day|delivery|appointment|start)|(fecha|dia|cita)( del? (la )?\w+)? (desead|preferid|solicitad)|(date|jour|rendez vous)( (de |du |d')(la |l')?\w+)? (souhait|desire|prefere)|appointment date|date of (the )?appointment|fecha de (la )?cita|date (du|de) rendez vous/,
  ],
  [
    'company',
    /\b(company ?name|legal ?name|firma|firmenname|business ?name|razon social|raison sociale|denomination( sociale)?|name (of the|der|des) (company|business|firma|unternehmens?|vereins)|nombre de la (empresa|sociedad)|nom (de l'entreprise|de la societe|commercial)|societe|unternehmen|empresa|entreprise)\b/,
  ],
  ['contact', /\b(contact|ansprechpartner\w*|kontakt\w*|notfallkontakt|contacto|personne a|emergency)\b/],
  [
    'person',
    /\b(full ?name|first ?name|last ?name|given ?name|family ?name|surname|vorname|nachname|nombre|apellidos?|prenom|nom|(your|the|customer|guest|applicant|patient|parent|child|pupil|student|tenant|holder|sender|recipient)('s)? name|name (of|on) the (child|pupil|parcel|guest|patient|applicant|parent|holder|recipient)|name (des|der|einer|eines)|kontoinhaber\w*|karteninhaber\w*|titular|titulaire|destinatari[oa]|destinataire)\b|^name( name| vollstandiger name| ihr name)?$/,
  ],
  ['city', /\b(city|town|ort|wohnort|stadt|ciudad|localidad|poblacion|ville|commune)\b/],
  ['street', /\b(address ?line( 1)?|address|street|strasse|adresse|direccion|rue|calle)\b/],
  // Whoever "donor name" asks for may also be a firm, or give a number.
  [
    'contact',
    /\b(?!(product|brand|file|event|course|project|bank|user|domain|form|item|team|school|pet|room)\b)[a-z]+ name\b/,
  ],
];

/** What has happened by the time that somebody fills in a form. */
function happenings(): RegExp {
  const english =
    '(incident|accident|loss|damage|theft|purchase|invoice|issue|diagnosis|vaccination) date|date of (the )?(incident|accident|loss|damage|theft|purchase|issue|diagnosis|death|invoice|offence)|(purchased|bought|issued|reported|discovered|noticed|happened|occurred|diagnosed|ordered) (on|to)|issue date|when did (it|the)|(date of )?first registration|first registered|last (visit|inspection|service|check ?up|payment|donation|period)|(customer|member|patient|client|ill|sick|symptoms|employed|self employed) since|date signed|signed on|(signature|signing) date|date of (the )?signature';
  const german =
    'schadens?(datum|tag|ereignis)|(datum|tag|zeitpunkt) (des|der) (schadens\\w*|unfalls?|vorfalls?|diebstahls?|ereignisses|kaufs?|einbruchs?|tat|feststellung|entdeckung|ausstellung|rechnung|diagnose)|unfall(datum|tag)|vorfall(s?datum|tag)?|kaufdatum|gekauft am|rechnungsdatum|ausstellungsdatum|ausgestellt am|(entdeckt|gemeldet|festgestellt|passiert|bemerkt|bestellt) am|sterbedatum|todestag|impfdatum|erstzulassung|letzte[rs]? (besuch|inspektion|untersuchung|wartung|impfung|zahlung|spende)|(kunde|kundin|mitglied|patient|patientin|krank|wohnhaft|beschwerden|beschaftigt|angestellt|selbststandig|arbeitslos) seit|datum der unterschrift|unterschriftsdatum|unterschrieben am';
  const spanish =
    'fecha (de(l| la| los)? )?(siniestro|accidente|incidente|suceso|compra|factura|expedicion|emision|robo|hechos|denuncia|diagnostico|fallecimiento|matriculacion|defuncion|averia|perdida)|primera matriculacion|(ocurrido|comprado|expedid[oa]|emitid[oa]|detectado|diagnosticado) el|ultim[oa] (visita|revision|pago|consulta|donacion)|(cliente|soci[oa]|paciente|enferm[oa]|emplead[oa]|contratad[oa]|autonom[oa]) desde|firmado el|fecha de (la )?firma\\b';
  const french =
    "date (de(s|l)? |du |d'|de l'|de la )?(sinistre|accident|incident|achat|facture|emission|delivrance|faits|constat|diagnostic|deces|immatriculation|vaccination|dommage|degat|panne|perte|survenance)|(premiere )?mise en circulation|(survenu|achete|delivree?|constate|declare|emis|signale) le|derni(er|ere) (visite|controle|paiement|don|consultation)|(client|cliente|adherent|adherente|patient|malade|employee?|salariee?) depuis|signe le|date de (la )?signature";
  return new RegExp(`\\b(${english}|${german}|${spanish}|${french})`);
}

const expected =
  /\b(expected|due|voraussichtlich\w*|erwartet\w*|errechnet\w*|geplant\w*|previst[ao]|prevue?|estimad[ao])\b/;

/** `sellerVatId` and "VAT ID of the seller" both ask for a `vat`. */
export function meaningOf(name: string, label: string): Meaning | undefined {
  const words = wordsOf(name, label);
  if (/\b(rate|amount|percent|satz|betrag|tasa|importe|taux|montant)\b/.test(words)) return undefined;
  const found = meanings.find(([, pattern]) => pattern.test(words))?.[0];
  // A child that is expected may be born on a day to come.
  if (found === 'birth' && expected.test(words)) return undefined;
  // A number with a form of its own is meant wherever it is named, but for accounts.
  if (found !== 'iban' && found !== 'bic' && knownNumberOf(words) !== undefined) return 'number';
  return found;
}

const dayMeanings: ReadonlySet<Meaning> = new Set(['birth', 'founded', 'past', 'expiry', 'wished']);
const meaningsOfDays = meanings.filter(([meaning]) => dayMeanings.has(meaning));

/** What a field for a day asks for: "Date of expiry of the identity card" is no number of one. */
export function dayMeaningOf(name: string, label: string): Meaning | undefined {
  const words = wordsOf(name, label);
  const found = meaningsOfDays.find(([, pattern]) => pattern.test(words))?.[0];
  return found === 'birth' && expected.test(words) ? undefined : found;
}

/** Whether what is asked for is a day. */
export function isDayMeaning(meaning: Meaning | undefined): boolean {
  return meaning !== undefined && dayMeanings.has(meaning);
}

/** The words of a field's name and label, folded. */
export function wordsOf(name: string, label: string): string {
  return foldText(`${spaced(name)} ${label}`.replace(/[_.-]/g, ' '));
}

// In the four languages, without endings: of whom an age is asked. What else has an age may be older than people become.
const people = [
  'person youngest oldest eldest child children applicant patient driver guest traveller traveler passenger participant student pupil customer client policyholder tenant owner holder player member employee candidate victim claimant parent mother father son daughter partner spouse husband wife baby kid adult man woman boy girl user visitor respondent donor attendee resident minor deceased dependant dependent rider worker',
  'kind antragsteller fahrer gast reisende jungste alteste teilnehmer schuler kund mieter inhaber halter spieler mitglied mitarbeiter bewerber opfer eltern mutter vater sohn tochter ehe mann frau erwachsene nutzer besucher spender verstorbene',
  'persona nino nina ninos ninas hijo hija solicitante paciente conductor viajero viajera pasajero pasajera participante alumno alumna estudiante cliente asegurado asegurada inquilino titular jugador miembro empleado candidato victima padre madre pareja conyuge bebe adulto usuario visitante fallecido trabajador acompanante',
  'personne enfant demandeur conducteur conductrice voyageur passager eleve etudiant assure locataire titulaire joueur membre employe salarie candidat victime pere mere fils fille partenaire conjoint aine cadet adulte utilisateur visiteur defunt adherent invite',
]
  .join(' ')
  .replaceAll(' ', '|');
// Things are insured, too, so that these words tell a person only if none of a thing follows.
const insured = '(?:insured|versicherten?)\\b(?!\\W+[a-z])';
const determiner =
  '(?:the|an?|your|my|our|each|every|any|insured|main|lead|first|second|(?:young|old|eld)est|eine[rs]|ihre[rs]?|jede[rs]|versicherten|(?:jungst|altest)e[nr]?|la|las|los|el|su|sus|cada|un[ea]?|le|les|votre|plus|jeune|chaque)';
const agedThing = new RegExp(
  `\\b(?:age of|alter (?:der|des|eine[rs]|vo[nm])|edad del?|age d(?:es?|u)?)\\b(?=\\W+[a-z])(?!\\W+(?:${determiner} ){0,2}(?:[ld]')?(?:${insured}|(?:${people})[a-z]{0,2}\\b))`,
);

/** Whether a number is somebody's age; a house or a car has one, too. */
export function asksAge(words: string): boolean {
  return (
    /^(age|alter|edad)\b|\b(age of|alter (der|des)|edad (de|del)|age (de|du))\b/.test(words) && !agedThing.test(words)
  );
}

/** Whether a country is where somebody lives or a firm is: not a nationality, a country of birth, a bank's, or one to travel to. */
export function asksHome(words: string): boolean {
  return /countr|land|pais|pays/.test(words) && !elsewhere.test(words);
}

const elsewhere =
  /national|staats|nacional|citizen|birth|geburt|nac|naiss|bank|banco|banque|konto|destin|\bziel|reise|visit|travel|herkunft|origin|ursprung|served|bedient|issu|ausstell|expedi|emis|delivr|licen|fuhrerschein|bundes|lander\b|countries|paises/;
