import { foldText } from '../../base/text/fold.ts';

/** Names that people use for fields of shipped forms and scorecards, and for listings' facts; letters only. */
const synonyms: Readonly<Record<string, readonly string[]>> = {
  givenName: ['firstname', 'forename', 'vorname', 'nombre', 'prenom'],
  familyName: ['lastname', 'surname', 'nachname', 'apellido', 'apellidos', 'nom', 'nomdefamille'],
  dateOfBirth: [
    'birthdate',
    'birthday',
    'dob',
    'born',
    'geburtsdatum',
    'geburtstag',
    'fechadenacimiento',
    'datedenaissance',
  ],
  postalCode: ['zip', 'zipcode', 'postcode', 'plz', 'postleitzahl', 'cp', 'codigopostal', 'codepostal'],
  street: ['address', 'addressline', 'strasse', 'adresse', 'direccion', 'calle', 'rue'],
  city: ['town', 'ort', 'stadt', 'wohnort', 'ciudad', 'localidad', 'ville'],
  country: ['nation', 'land', 'pais', 'pays'],
  phone: ['tel', 'telephone', 'mobile', 'cell', 'telefon', 'telefonnummer', 'handy', 'telefono', 'movil'],
  email: ['mail', 'emailaddress', 'correo', 'correoelectronico', 'courriel'],
  occupation: ['job', 'profession', 'beruf', 'profesion', 'metier'],
  legalName: [
    'companyname',
    'company',
    'businessname',
    'firma',
    'firmenname',
    'razonsocial',
    'empresa',
    'raisonsociale',
    'entreprise',
  ],
  taxId: [
    'vat',
    'vatid',
    'vatnumber',
    'taxnumber',
    'uid',
    'ustid',
    'ustidnr',
    'ustidnummer',
    'umsatzsteueridentifikationsnummer',
    'nifiva',
    'tvaintracommunautaire',
    'umsatzsteuerid',
    'steuernummer',
    'nif',
    'cif',
    'tva',
    'numerotva',
  ],
  registrationNumber: [
    'companynumber',
    'firmenbuchnummer',
    'handelsregister',
    'hrb',
    'siret',
    'siren',
    'registromercantil',
  ],
  foundedYear: ['founded', 'since', 'gruendungsjahr', 'grundungsjahr', 'gegrundet', 'fundacion', 'anneedecreation'],
  contactName: ['contact', 'contactperson', 'ansprechpartner', 'kontaktperson', 'interlocuteur', 'interlocutor'],
  iban: ['bankaccount', 'accountnumber', 'kontonummer', 'bankverbindung', 'cuentabancaria', 'comptebancaire', 'rib'],
  displayName: ['shopname', 'sellername', 'nickname', 'shop', 'tienda', 'boutique'],
  cashRunwayMonths: ['monthsofcash', 'cashmonths', 'runway', 'cashrunway'],
  grossMarginPercent: ['margin', 'grossmargin', 'profitmargin', 'marge', 'margen'],
  largestCustomerPercent: ['customerconcentration', 'topcustomershare', 'largestcustomer'],
  licencesHeld: ['licensed', 'licenced', 'licence', 'license', 'permits', 'genehmigung', 'licencia'],
  staffTurnoverPercent: ['churnofstaff', 'staffturnover', 'employeeturnover', 'fluktuation'],
  retentionPercent: ['retention', 'customerretention', 'kundenbindung'],
  onTimeDeliveryPercent: ['ontime', 'ontimedelivery', 'puntualidad'],
};

const meantBy: ReadonlyMap<string, string> = new Map(
  Object.entries(synonyms).flatMap(([known, names]) => names.map((name) => [name, known] as const)),
);

/** The known name that is meant by one that nothing looks at. */
export function synonymIn(name: string, known: ReadonlySet<string>): string | undefined {
  const meant = meantBy.get(foldText(name.slice(0, 64)).replace(/[^a-z]/g, ''));
  return meant !== undefined && known.has(meant) ? meant : undefined;
}
