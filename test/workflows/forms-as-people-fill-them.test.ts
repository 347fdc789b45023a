// Forms of one's own in four languages: numbers with check digits, days that cannot be, names out of samples, values that do not fit.
import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { ask } from './ask.ts';

type Field = readonly [name: string, kind: string, label: string, value: string | number];

const fill = (...fields: readonly Field[]) =>
  ask(guidanceFamily, CheckProfileRequestSchema, {
    form: { name: 'own', fields: fields.map(([name, kind, label]) => ({ name, kind, label, required: true })) },
    values: Object.fromEntries(fields.map(([name, , , value]) => [name, value])),
  });
const statusOf = (...fields: readonly Field[]) => fill(...fields).fields[0]?.status;

describe('a number with a form of its own', () => {
  it.each([
    ['cardNumber', 'Card number', '4242 4242 4242 4242', '4242 4242 4242 4241', ''],
    ['tarjeta', 'Número de tarjeta', '4111 1111 1111 1111', '4111 1111 1111 1112', ''],
    ['cvc', 'CVC', '123', '12', ''],
    ['siret', 'Numéro SIRET', '732 829 320 00074', '732 829 320 00075', 'FR'],
    ['siren', 'SIREN', '732 829 320', '732 829 321', 'FR'],
    ['secu', 'N° de sécurité sociale', '1 84 12 76 451 089 46', '1 84 12 76 451 089 47', 'FR'],
    ['secu', 'N° de sécurité sociale', '2 69 05 2A 588 157 17', '2 69 05 2A 588 157 18', 'FR'],
    ['dni', 'DNI / NIE', '50731462V', '50731462T', 'ES'],
    ['nie', 'NIE', 'X1234567L', 'X1234567T', ''],
    ['nif', 'NIF / CIF', 'B58378431', 'B58378432', 'ES'],
    ['nss', 'Número de la Seguridad Social', '28 1234567840', '28 1234567841', 'ES'],
    ['steuerId', 'Steuerliche Identifikationsnummer', '86 095 742 719', '86 095 742 718', 'DE'],
    ['sv', 'Sozialversicherungsnummer', '15 070649 C 103', '15 070649 C 104', 'DE'],
    ['sv', 'Sozialversicherungsnummer', '1237 010180', '1238 010180', 'AT'],
    ['kvnr', 'Krankenversichertennummer', 'A123456780', 'A123456781', 'DE'],
    ['ahv', 'AHV-Nummer', '756.9217.0769.85', '756.9217.0769.84', 'CH'],
    ['ni', 'National Insurance number', 'AB 12 34 56 C', 'BG 12 34 56 C', 'GB'],
    ['nhs', 'NHS number', '943 476 5919', '943 476 5918', 'GB'],
    ['utr', 'Unique Taxpayer Reference', '1123456789', '2123456789', 'GB'],
    ['sortCode', 'Sort code', '20-00-00', '20-00-0', 'GB'],
    ['ssn', 'Social security number', '219-09-9999', '000-12-3456', 'US'],
    ['routing', 'Routing number', '021000021', '021000022', 'US'],
    ['isbn', 'ISBN', '978-3-16-148410-0', '978-3-16-148410-1', ''],
    ['isbn', 'ISBN', '0-306-40615-2', '0-306-40615-3', ''],
    ['ean', 'EAN', '4006381333931', '4006381333932', ''],
    ['imei', 'IMEI', '490154203237518', '490154203237517', ''],
    ['vin', 'Fahrgestellnummer', '1HGCM82633A004352', '1HGCM82633O004352', ''],
    ['lei', 'Legal Entity Identifier', '529900T8BM49AURSDO55', '529900T8BM49AURSDO56', ''],
  ])('is checked: %s, %s', (name, label, right, wrong, country) => {
    const at: Field[] = country === '' ? [] : [['country', 'country', 'Country', country]];
    expect(statusOf([name, 'text', label, right], ...at)).toBe('ok');
    expect(statusOf([name, 'text', label, wrong], ...at)).toBe('invalid');
  });

  it.each([
    ['siret', 'SIRET', '12345', 'BE'],
    ['dni', 'DNI', '30123456', 'AR'],
    ['dni', 'DNI o pasaporte', 'AAB123456', 'ES'],
    ['loyalty', 'Loyalty card number', '99812', 'GB'],
    ['idCard', 'ID card number', 'L01X00T47', 'DE'],
    ['nino', 'Nombre del niño', 'Hugo Paz', 'ES'],
  ])('is not judged where another is meant: %s of %s', (name, label, value, country) => {
    expect(statusOf([name, 'text', label, value], ['country', 'country', 'Country', country])).toBe('ok');
  });
});

describe('a day', () => {
  it.each([
    ['incidentDate', 'Date of the incident'],
    ['schadensdatum', 'Tag des Schadens'],
    ['unfalltag', 'Unfalltag'],
    ['fechaSiniestro', 'Fecha del siniestro'],
    ['dateSinistre', 'Date du sinistre'],
    ['purchaseDate', 'Date of purchase'],
    ['letzteImpfung', 'Letzte Impfung'],
    ['compra', 'Fecha de compra'],
    ['achat', "Date d'achat"],
    ['geboren', 'geb. am'],
    ['incorporation', 'Date of incorporation'],
  ])('of what has happened is not to come: %s', (name, label) => {
    expect(statusOf([name, 'date', label, '2026-11-01'])).toBe('ok');
    expect(statusOf([name, 'date', label, '2027-03-01'])).toBe('invalid');
  });

  it.each([
    ['wunschtermin', 'Wunschtermin'],
    ['preferred', 'Preferred date'],
    ['fecha', 'Fecha de la cita'],
    ['rdv', 'Date de rendez-vous souhaitée'],
  ])('that is wished for has not passed: %s', (name, label) => {
    expect(statusOf([name, 'date', label, '2026-12-01'])).toBe('ok');
    expect(statusOf([name, 'date', label, '2026-10-01'])).toBe('invalid');
  });

  it('of a booking is one to come, of a complaint about one it is not', () => {
    const arrival: Field = ['anreise', 'date', 'Anreise', '2026-10-01'];
    const guests: Field = ['personen', 'integer', 'Anzahl Gäste', 2];
    expect(statusOf(arrival, guests)).toBe('invalid');
    expect(statusOf(arrival, guests, ['grund', 'text', 'Grund der Beschwerde', 'Das Zimmer war nass'])).toBe('ok');
    expect(statusOf(['signed', 'date', 'Signed on', '2026-10-01'], guests)).toBe('ok');
  });

  it.each([
    ['04/27', 'ok'],
    ['11/2026', 'ok'],
    ['10/26', 'invalid'],
    ['13/27', 'invalid'],
  ])('until which a card is valid may be a month: %s', (value, status) => {
    expect(statusOf(['expiry', 'text', 'Valid until (MM/YY)', value])).toBe(status);
  });

  it.each([
    ['beginn', 'Beginn', 'ende', 'Ende'],
    ['mietbeginn', 'Mietbeginn', 'mietende', 'Mietende'],
    ['anreise', 'Anreise', 'abreise', 'Abreise'],
    ['entrada', 'Fecha de entrada', 'salida', 'Fecha de salida'],
    ['inicio', 'Inicio', 'fin', 'Fin'],
    ['debut', 'Début', 'fin', 'Fin'],
    ['arrivee', "Date d'arrivée", 'depart', 'Date de départ'],
    ['outbound', 'Outbound flight', 'inbound', 'Return flight'],
    ['incident', 'Date of the incident', 'reported', 'Reported to the police on'],
    ['schadenstag', 'Schadenstag', 'meldung', 'Schaden gemeldet am'],
    ['siniestro', 'Fecha del siniestro', 'denuncia', 'Fecha de la denuncia'],
    ['sinistre', 'Date du sinistre', 'declaration', 'Date de déclaration'],
    ['bestellt', 'Bestelldatum', 'geliefert', 'Lieferdatum'],
    ['eintritt', 'Eintritt', 'austritt', 'Austritt'],
    ['compra', 'Fecha de compra', 'averia', 'Fecha de la avería'],
    ['birth', 'Date of birth', 'member', 'Member since'],
  ])('does not come before what it follows: %s, %s', (first, label, second, secondLabel) => {
    // What has happened is not to come, and a booking is of days to come.
    const contradicted = ['2026-11', '2027-05'].some((month) => {
      const filled = (a: string, b: string) =>
        fill([first, 'date', label, `${month}-${a}`], [second, 'date', secondLabel, `${month}-${b}`]);
      const isContradicted = ({ basis }: ReturnType<typeof fill>) =>
        basis?.checks.some(({ id, outcome }) => id.startsWith('contradiction-') && outcome === 'failed');
      expect(isContradicted(filled('10', '12'))).toBe(false);
      return isContradicted(filled('12', '10'));
    });
    expect(contradicted).toBe(true);
  });

  it.each([
    ['name', 'Name des Kindes'],
    ['alumno', 'Nombre del alumno'],
    ['enfant', "Nom de l'enfant"],
    ['member', 'Name of the member'],
  ])('of birth of a minor is right where children are meant, or nobody in particular: %s', (name, label) => {
    const birth: Field = ['birthDate', 'date', 'Date of birth', '2019-05-21'];
    expect(statusOf(birth, [name, 'text', label, 'Robin Falk'])).toBe('ok');
    expect(statusOf(birth, ['income', 'integer', 'Net monthly income', 2000])).toBe('weak');
  });
});

describe('a name', () => {
  it.each([
    ['name', 'Vor- und Nachname', 'Max Mustermann', 'Maximilian Muster-Huber'],
    ['nachname', 'Nachname', 'Mustermann', 'Muster-Huber'],
    ['fullName', 'Full name', 'Jane Doe', 'Jane Dole'],
    ['nombre', 'Nombre y apellidos', 'Fulano de Tal', 'Fulgencio Talavera'],
    ['nom', 'Nom et prénom', 'Prénom Nom', 'Renom Prévost'],
    ['fullName', 'Full name', '12345', 'Ana'],
    ['donor', 'Donor name', 'asdf qwer', 'Ana Fast'],
    ['empresa', 'Razón social', 'Empresa de Ejemplo S.L.', 'Ejemplar Servicios S.L.'],
    ['firma', 'Firma', 'Muster GmbH', 'Muster & Söhne GmbH'],
    ['calle', 'Calle', 'Calle Falsa 123', 'Calle Falcón 12'],
    ['strasse', 'Straße', 'Musterstraße 1', 'Musterweg-Siedlung 4'],
    ['ort', 'Ort', 'Musterstadt', 'Münster'],
  ])('out of a sample is none: %s', (name, label, sample, real) => {
    expect(statusOf([name, 'text', label, sample])).toBe('invalid');
    expect(statusOf([name, 'text', label, real])).toBe('ok');
  });

  it.each(['test@gmail.com', 'max@mustermann.de'])('is none in an address: %s', (address) => {
    expect(statusOf(['email', 'email', 'E-mail', address])).toBe('invalid');
  });
});

describe('values', () => {
  it.each<[Field, Field]>([
    [
      ['email', 'email', 'E-mail', 'ana@brook-4711.com'],
      ['emailAgain', 'email', 'Repeat e-mail', 'anna@brook-4711.com'],
    ],
    [
      ['age', 'integer', 'Age', 34],
      ['dob', 'date', 'Date of birth', '2001-01-01'],
    ],
    [
      ['siren', 'text', 'SIREN', '732829320'],
      ['tva', 'text', 'N° TVA', 'FR40303265045'],
    ],
    [
      ['gehaltVon', 'integer', 'Gehalt von', 60000],
      ['gehaltBis', 'integer', 'Gehalt bis', 50000],
    ],
  ])('do not fit each other: %j', (first, second) => {
    expect(fill(first, second).ready).toBe(false);
    expect(fill(first).ready && fill(second).ready).toBe(true);
  });

  it.each<[Field, Field]>([
    [
      ['email', 'email', 'E-mail', 'ana@brook-4711.com'],
      ['emailAgain', 'email', 'Repeat e-mail', 'Ana@brook-4711.com'],
    ],
    [
      ['age', 'integer', 'Age', 34],
      ['dob', 'date', 'Date of birth', '1992-01-01'],
    ],
    [
      ['siren', 'text', 'SIREN', '732829320'],
      ['tva', 'text', 'N° TVA', 'FR44732829320'],
    ],
    [
      ['gehaltVon', 'integer', 'Gehalt von', 50000],
      ['gehaltBis', 'integer', 'Gehalt bis', 60000],
    ],
  ])('fit each other: %j', (first, second) => {
    expect(fill(first, second).ready).toBe(true);
  });

  it.each([
    ['huespedes', 'Huéspedes', -2],
    ['kilometer', 'Kilometerstand', -5],
    ['rooms', 'Rooms', -1],
    ['caution', 'Caution', -100],
    ['alter', 'Alter', 340],
  ])('that count something have bounds: %s', (name, label, value) => {
    expect(statusOf([name, 'integer', label, value])).toBe('invalid');
  });

  it.each([
    'Age of the driver',
    'Age of your youngest child',
    'Alter des Antragstellers',
    'Alter der versicherten Person',
    'Edad del solicitante',
    'Edad de la persona asegurada',
    'Âge du conducteur',
    'Âge de l’enfant',
  ])('of people’s age have a bound: %s', (label) => {
    expect(statusOf(['age', 'integer', label, 150])).toBe('invalid');
  });

  it.each([
    'Age of the building',
    'Age of the insured vehicle',
    'Alter des Hauses',
    'Alter des Fahrzeugs',
    'Alter des versicherten Fahrzeugs',
    'Alter der Heizung',
    'Edad del edificio',
    'Edad de la vivienda',
    'Âge du bâtiment',
    'Âge de l’immeuble',
  ])('of a thing’s age have none, nor to do with a date of birth: %s', (label) => {
    expect(statusOf(['age', 'integer', label, 150])).toBe('ok');
    expect(fill(['age', 'integer', label, 15], ['dob', 'date', 'Date of birth', '1992-01-01']).ready).toBe(true);
  });

  it('of a result may be below zero', () => {
    expect(statusOf(['result', 'integer', 'Profit of the last 12 months', -2000])).toBe('ok');
  });

  it('of a postal code have a digit, in any country', () => {
    expect(statusOf(['plz', 'text', 'PLZ', 'keine'])).toBe('invalid');
    expect(statusOf(['plz', 'text', 'PLZ', '8033'])).toBe('ok');
  });

  it('are judged by where somebody lives, not by their nationality', () => {
    const nationality: Field = ['nationality', 'country', 'Nationality', 'DE'];
    const home: Field = ['residence', 'country', 'Country of residence', 'GB'];
    expect(statusOf(['postcode', 'text', 'Postcode', 'SW1A 1AA'], nationality, home)).toBe('ok');
  });
});
