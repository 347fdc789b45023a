// Letters as offices send them: schools, clinics, clubs, landlords, utilities, insurers, in names of their own software.
import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { ask } from './ask.ts';

type Facts = Readonly<Record<string, string>>;

const letter = (kind: string, locale: string, facts: Facts, purpose = 'see the facts', more: object = {}) => {
  const listed = Object.entries(facts).map(([name, value]) => ({ name, value }));
  const reply = ask(draftFamily, DraftDocumentRequestSchema, { purpose, kind, locale, facts: listed, ...more });
  return { ...reply.draft, body: (reply.draft?.body ?? '').replaceAll(/[\u00a0\u202f]/g, ' ') };
};

describe('an institution', () => {
  it.each([
    [
      'confirmation',
      'en',
      { patient_name: 'Olivia Grant', clinic: 'Bright Smile Dental' },
      'Kind regards\nBright Smile',
    ],
    ['payment_reminder', 'de', { mitglied: 'Frau Lohmann', verein: 'TSV Oberau' }, 'Freundliche Grüße\nTSV Oberau'],
    ['payment_reminder', 'es', { nombre_tutor: 'Sra. Rincón', institucion: 'Colegio Sur' }, 'Un saludo,\nColegio Sur'],
    ['notice', 'fr', { destinataires: 'Habitants', mairie: 'Mairie de Cadillac' }, 'Cordialement,\nMairie de Cadillac'],
    ['invitation', 'de', { eltern: 'Frau Kern', kitaLeitung: 'Sabine Möller' }, 'Freundliche Grüße\nSabine Möller'],
    [
      'refund_granted',
      'es',
      { cliente: 'Lucía Ferrer', atencionCliente: 'Tienda Nébula' },
      'Un saludo,\nTienda Nébula',
    ],
  ])('signs a %s in %s', (kind, locale, facts, signed) => {
    expect(letter(kind, locale, facts).body).toContain(signed);
  });

  it('is where an appointment takes place if it is given with a room or a street', () => {
    const { body } = letter('confirmation', 'es', {
      paciente: 'Sr. Paz',
      clinica: 'Clínica del Norte, consultorio 512',
    });
    expect(body).toContain('El lugar: Clínica del Norte, consultorio 512.');
    expect(body.endsWith('Un saludo,')).toBe(true);
  });
});

describe('a pupil', () => {
  it.each([
    ['es', { nombre_alumno: 'Emiliano Torres', nombre_tutor: 'Sra. Rincón' }, 'Buenos días, Sra. Rincón:'],
    ['fr', { prenomEnfant: 'Louis', nomParent: 'Monsieur Dubois' }, 'Bonjour Monsieur Dubois,'],
    ['de', { schuelerName: 'Mia Kern', elternName: 'Frau Kern' }, 'Guten Tag Frau Kern,'],
    ['en', { student_name: 'Mia Kerr', parent_name: 'Ms Kerr' }, 'Dear Ms Kerr,'],
  ])('is not written to beside the parents in %s', (locale, facts, greeting) => {
    const { body } = letter('payment_reminder', locale, facts);
    expect(body).toContain(greeting);
    expect(body).toContain(Object.values(facts)[0]);
  });

  it('is the one who is ill', () => {
    const facts = { nomEleve: 'Inès Caron', classe: 'CE2 B', absenceDu: '2026-11-30', absenceAu: '2026-12-02' };
    const { body } = letter('sick_note', 'fr', { ...facts, parent: 'Julie Caron', enseignante: 'Mme Pruvost' });
    expect(body).toContain('Inès Caron ne peut pas venir du 30 novembre 2026 au 2 décembre 2026.');
    expect(body).toContain('Mme Pruvost');
    expect(body.endsWith('Julie Caron')).toBe(true);
  });
});

describe('a date', () => {
  it.each([
    ['fr', { dateLivraisonPrevue: '2026-11-27', nouvelleDateLivraison: '2026-12-09' }],
    ['de', { voraussichtlicherLiefertermin: '2026-11-27', neuerLiefertermin: '2026-12-09' }],
    ['es', { fecha_entrega_prevista: '2026-11-27', nueva_fecha_entrega: '2026-12-09' }],
    ['en', { expectedDeliveryDate: '2026-11-27', newDeliveryDate: '2026-12-09' }],
  ])('that was expected is the old one beside a new one in %s', (locale, facts) => {
    const { body } = letter('apology_for_delay', locale, facts);
    expect(body).toMatch(/(?:prévue|bisherige|prevista|so far).{0,30}27/);
  });
});

describe('an account', () => {
  it('is paid to only if it can be one of a bank', () => {
    const { body } = letter('payment_reminder', 'en', { accountNumber: 'WA-77120', amount: '186.40 GBP' });
    expect(body).toContain('Account number: WA-77120.');
    expect(body).not.toContain('transfer');
    const other = letter('payment_reminder', 'en', { accountNumber: '31926819', amount: '186.40 GBP' });
    expect(other.body).toContain('Please transfer the amount to 31926819.');
  });
});

describe('what is only answered yes', () => {
  it.each([
    ['en', { accessRequired: 'yes' }, 'Please make sure that we can get in.'],
    ['de', { anwesenheitErforderlich: 'ja' }, 'Bitte seien Sie anwesend.'],
    ['fr', { presenceRequise: 'oui' }, 'Votre présence est nécessaire.'],
    ['es', { inscripcionObligatoria: 'true' }, 'Es necesario inscribirse.'],
    ['fr', { confirmationEcrite: 'oui' }, 'Merci de nous le confirmer par écrit.'],
    ['de', { attestBeigefuegt: 'ja' }, 'Eine Bescheinigung liegt bei.'],
  ])('is a sentence in %s: %j', (locale, facts, said) => {
    expect(letter('notice', locale, facts).body).toContain(said);
  });

  it('is no sentence if the answer is no', () => {
    const { body } = letter('notice', 'en', { accessRequired: 'no' });
    expect(body).toContain('Access required: no.');
  });
});

describe('a day by which the reader has to do something', () => {
  it.each([
    ['en', { rescheduleBy: '2026-12-04' }, 'Please tell us by 4 December 2026 if you need another date.'],
    ['de', { zustimmungBis: '2027-01-31' }, 'Bitte stimmen Sie bis zum 31. Januar 2027 zu.'],
    ['es', { confirmarAntesDe: '2026-12-05' }, 'Le rogamos que responda a más tardar el 5 de diciembre de 2026.'],
    ['fr', { soldeAvantLe: '2027-02-08' }, 'Merci de régler le solde au plus tard le 8 février 2027.'],
  ])('is asked for in %s: %j', (locale, facts, said) => {
    expect(letter('notice', `${locale}-${locale === 'en' ? 'GB' : locale.toUpperCase()}`, facts).body).toContain(said);
  });

  it('is no "by" without a day', () => {
    const { body } = letter('notice', 'de', { zustimmungBis: 'so bald wie möglich' });
    expect(body).toContain('Zustimmung bis: so bald wie möglich.');
  });
});

describe('what was and what will be', () => {
  it.each([
    ['en', { oldPickupTime: '7:25 am', newPickupTime: '7:05 am' }, 'Pickup time: 7:05 am instead of 7:25 am.'],
    ['de', { alteLeuchte: 'LED 20', neueLeuchte: 'LED 40' }, 'Leuchte: LED 40 statt bisher LED 20.'],
    ['es', { vestuario_anterior: '3B', vestuario_nuevo: '2A' }, 'Vestuario: 2A en lugar de 3B.'],
    ['fr', { ancienOutil: 'Excel', nouvelOutil: 'Notilus' }, 'Outil : Notilus (jusqu’ici : Excel).'],
  ])('is one sentence in %s', (locale, facts, said) => {
    expect(letter('notice', locale, facts).body).toContain(said);
  });

  it('is a rent as people pay it', () => {
    const facts = { aktuelleKaltmiete: '640.00 EUR', neueKaltmiete: '704.00 EUR', gueltigAb: '2027-03-01' };
    const { body } = letter('', 'de', facts, 'Mieterhöhung ankündigen');
    expect(body).toContain('Ab 1. März 2027 zahlen Sie 704,00 € statt bisher 640,00 €.');
  });
});

describe('a number', () => {
  it.each([
    ['de', { verbrauchKwh: '2740' }, 'Verbrauch: 2740 kWh'],
    ['de', { flaeche_m2: '340' }, 'Fläche: 340 m²'],
    ['en', { distance_km: '12' }, 'Distance: 12 km'],
    ['es', { peso_kg: '4' }, 'Peso: 4 kg'],
    ['de', { mahnstufe: '2' }, 'Dies ist die 2. Mahnung.'],
    ['fr', { nbRelances: '3' }, 'Nous vous avons déjà adressé 3 relances.'],
  ])('is told with what it counts in %s: %j', (locale, facts, said) => {
    expect(letter('payment_reminder', locale, facts).body).toContain(said);
  });
});

describe('a time of the day', () => {
  it.each([
    ['en-US', '14:30', '2:30 PM'],
    ['en-GB', '14:30', '14:30'],
    ['de-DE', '19:30', '19:30 Uhr'],
    ['fr-FR', '18:45', '18:45'],
    ['es-ES', '09:00', '9:00'],
  ])('is written as in %s', (locale, time, said) => {
    const { body, citations } = letter('confirmation', locale, { date: '2026-12-03', time });
    expect(body).toContain(`2026, ${said}.`);
    expect(citations?.length).toBe(2);
  });

  it.each([
    ['es-ES', 'de 9:00 a 14:00'],
    ['de-DE', '9:00 Uhr bis 14:00 Uhr'],
    ['en-GB', '09:00 to 14:00'],
    ['fr-FR', 'de 09:00 à 14:00'],
  ])('has a beginning and an end in %s', (locale, said) => {
    const facts = { date: '2026-12-03', start_time: '09:00', end_time: '14:00' };
    expect(letter('confirmation', locale, facts).body).toContain(`2026, ${said}.`);
  });
});

describe('the name of a fact that no meaning knows', () => {
  it.each([
    ['de', 'neueZugangskarte', 'Neue Zugangskarte'],
    ['de', 'rueckfahrtGeoeffnet', 'Rückfahrt geöffnet'],
    ['de', 'aktuelleQuelle', 'Aktuelle Quelle'],
    ['es', 'suspension_habilitacion', 'Suspensión habilitación'],
  ])('is spelt as in %s: %s', (locale, name, label) => {
    expect(letter('notice', locale, { [name]: 'x1' }).body).toContain(`${label}: x1.`);
  });
});

it('a contact with an at sign is written to, not called', () => {
  const { body } = letter('internal_memo', 'en', { helpdesk: 'finance-help@acme.example' });
  expect(body).toContain('Questions go to finance-help@acme.example.');
});

describe('a notice', () => {
  it.each([
    [
      'en',
      'tell patients that we are closed',
      { closedFrom: '2026-12-24', closedUntil: '2027-01-06' },
      'We are closed',
    ],
    ['de', 'Praxis geschlossen', { geschlossenVon: '2026-12-24', geschlossenBis: '2027-01-06' }, 'haben vom 24. De'],
    [
      'de',
      'Praxis geschlossen',
      { wiederGeoeffnetAb: '2027-01-07' },
      'Ab dem 7. Januar 2027 sind wir wieder für Sie da.',
    ],
    ['es', 'avisar a los pacientes del cierre', { cerradoDesde: '2026-12-24' }, 'cerrados a partir del 24 de'],
    ['fr', 'fermeture de la mairie', { fermeDu: '2026-12-24', fermeAu: '2027-01-06' }, 'serons fermés du 24'],
    ['es', 'avisar del corte de agua', { fechaCorte: '2026-12-02' }, 'un corte de agua. La fecha es el 2 de diciembre'],
    ['fr', 'informer les habitants de la collecte des encombrants', { date: '2026-12-12' }, 'la collecte des enco'],
    ['de', 'Aushang: Wasserabstellung', { Datum: '2026-12-12' }, 'die Unterbrechung der Wasserversorgung. Der Termin'],
  ])('says what happens (%s, %s)', (locale, purpose, facts: Facts, said) => {
    expect(letter('notice', locale, facts, purpose).body).toContain(said);
  });

  it.each([
    ['en', 'Please note the following.'],
    ['de', 'bitte beachten Sie Folgendes.'],
    ['es', 'Le comunicamos lo siguiente.'],
    ['fr', 'Nous vous informons de ce qui suit.'],
  ])('speaks of a change only where one begins (%s)', (locale, said) => {
    expect(letter('notice', locale, { date: '2026-12-12', time: '10:00' }).body).toContain(said);
    expect(letter('notice', locale, { effectiveDate: '2026-12-12' }).body).not.toContain(said);
  });
});

describe('an appointment that was moved', () => {
  it.each([
    ['en', 'appointment rescheduled', 'The new date is December 9, 2026'],
    ['es', 'cita médica reprogramada', 'La nueva fecha es el 9 de diciembre de 2026'],
    ['fr', 'rendez-vous reporté', 'La nouvelle date est le 9 décembre 2026'],
    ['de', 'Termin verschoben', 'Der neue Termin ist am 9. Dezember 2026'],
  ])('has a new date in %s', (locale, purpose, said) => {
    const facts = { old_date: '2026-12-01', new_date: '2026-12-09' };
    expect(letter('', locale, facts, purpose).body).toContain(said);
  });
});

describe('a refusal', () => {
  it('wishes success to applicants for a job alone', () => {
    const facts = { solicitante: 'D. Ramón Vidal', numeroSolicitud: 'PP-5', importeSolicitado: '18000.00 EUR' };
    const { body } = letter('rejection', 'es', facts, 'denegación de préstamo');
    expect(body).toContain('El importe solicitado es de 18.000,00 €.');
    expect(body).not.toContain('éxito');
    expect(letter('rejection', 'es', { puesto: 'contable' }).body).toContain('Le deseamos mucho éxito.');
  });
});

it.each([
  ['confirmation', 'fr', { inscriptionObligatoire: 'oui', inscriptionTel: '05 56 00 00 18' }],
  ['payment_reminder', 'es', { grado: '4.º B', monto: '4850.00 MXN', clabe: '012180001234567897' }],
])('a %s in %s has no risk that only our own words make', (kind, locale, facts) => {
  expect(letter(kind, locale, facts).findings).toEqual([]);
});

describe('who ends a contract', () => {
  it.each([
    ['es', 'baja del gimnasio', { socio: 'Marta Ibáñez', centro: 'FitZone', fechaBaja: '2027-01-01' }, 'rescindo'],
    [
      'fr',
      'résiliation assurance',
      { assureur: 'Helvia', preneurAssurance: 'Jean Rochat', fin: '2027-01-01' },
      'je rés',
    ],
    ['en', 'cancel my gym membership', { member: 'Ann Lee', gym: 'FitZone', endDate: '2027-01-01' }, 'I hereby'],
    [
      'de',
      'Kündigung der Versicherung',
      { versicherer: 'Helvia', versicherungsnehmer: 'Jan Rot', ende: '2027-01-01' },
      'ich',
    ],
  ])('signs as one person in %s', (locale, purpose, facts: Facts, said) => {
    const { body } = letter('notice', locale, facts, purpose);
    expect(body).toContain(said);
    expect(body).toMatch(/(?:Marta Ibáñez|Jean Rochat|Ann Lee|Jan Rot)$/);
  });
});

it.each([
  ['en', 'The date is 22 February 2027 to 26 February 2027, 9 am.'],
  ['de', 'Der Termin: vom 22. Februar 2027 bis 26. Februar 2027, 9 am.'],
  ['es', 'La fecha: del 22 de febrero de 2027 al 26 de febrero de 2027, 9 am.'],
  ['fr', 'La date : du 22 février 2027 au 26 février 2027, 9 am.'],
])('a first and a last day are one date in %s', (locale, said) => {
  const facts = { start_date: '2027-02-22', end_date: '2027-02-26', time: '9 am' };
  expect(letter('confirmation', locale === 'en' ? 'en-GB' : locale, facts).body).toContain(said);
});

describe('several readers', () => {
  it.each([
    ['Patientinnen und Patienten', '', 'Liebe Patientinnen und Patienten,'],
    ['Patientinnen und Patienten', 'formal', 'Sehr geehrte Patientinnen und Patienten,'],
    ['Eltern der Bärengruppe', 'friendly', 'Liebe Eltern der Bärengruppe,'],
    ['Liebe Eltern der Bärengruppe', 'friendly', 'Liebe Eltern der Bärengruppe,'],
  ])('are greeted together: %s, %s', (empfaenger, tone, said) => {
    expect(letter('notice', 'de', { empfaenger }, 'see the facts', { tone }).body.startsWith(said)).toBe(true);
  });
});

describe('a reference for an employee', () => {
  it.each([
    ['de', 'Bei uns war Kevin Strauß vom 1. April 2021 bis 30. November 2026 als Lagerist tätig.'],
    ['es', 'Kevin Strauß trabajó con nosotros como Lagerist del 1 de abril de 2021 al 30 de noviembre de 2026.'],
    ['fr', 'Kevin Strauß a travaillé chez nous comme Lagerist du 1er avril 2021 au 30 novembre 2026.'],
    ['en', 'Kevin Strauß worked with us from April 1, 2021 to November 30, 2026. The position: Lagerist.'],
  ])('is written to nobody in %s', (locale, said) => {
    const facts = {
      mitarbeiter: 'Kevin Strauß',
      taetigkeit: 'Lagerist',
      eintritt: '2021-04-01',
      austritt: '2026-11-30',
    };
    expect(letter('job_reference', locale, facts).body.startsWith(said)).toBe(true);
  });
});

it.each([
  ['en', { alternative: 'you may transfer the ticket' }, '\n\nYou may transfer the ticket.'],
  ['de', { alternative: 'Sie können die Karte übertragen' }, '\n\nSie können die Karte übertragen.'],
  ['es', { alternativa: 'puede transferir la entrada' }, '\n\nPuede transferir la entrada.'],
  ['fr', { alternative: 'vous pouvez céder le billet' }, '\n\nVous pouvez céder le billet.'],
])('what the reader may do is a sentence in %s', (locale, facts, said) => {
  expect(letter('refund_refused', locale, facts).body).toContain(said);
});

it.each([
  ['visit', 'fr', { gestionnaire: 'Agence Bellerive' }, 'Cordialement,\nAgence Bellerive'],
  ['rejection', 'es', { gestora: 'Inés Carbó' }, 'Un saludo,\nInés Carbó'],
  ['refund_refused', 'en', { agent_name: 'Sophie Marr' }, 'Kind regards\nSophie Marr'],
  ['offer', 'de', { sachbearbeiterin: 'Miriam Falk' }, 'Freundliche Grüße\nMiriam Falk'],
])('who deals with it signs where nobody else does (%s, %s)', (kind, locale, facts, said) => {
  const { body } = letter(kind === 'visit' ? '' : kind, locale, facts, 'prévenir du passage du plombier');
  expect(body).toContain(said);
  expect(letter(kind === 'visit' ? '' : kind, locale, { ...facts, sender: 'Ron' }, 'x'.repeat(9)).body).toMatch(/Ron$/);
});

it.each([
  ['en', { duration_minutes: '75', cancellation_notice_hours: '24' }, 'please tell us at least 24 hours before.'],
  ['de', { dauer_minuten: '75', absagefrist_stunden: '24' }, 'Die Dauer beträgt 75 Minuten.'],
  ['es', { duracion_minutos: '75', preaviso_cancelacion_horas: '24' }, 'con al menos 24 horas de antelación.'],
  ['fr', { duree_minutes: '75', preavis_annulation_heures: '24' }, 'au moins 24 heures à l’avance.'],
])('how long it takes and until when to call it off are sentences in %s', (locale, facts, said) => {
  expect(letter('confirmation', locale, facts).body).toContain(said);
});

it.each([
  ['en', { balance_due: '85.00 EUR' }, 'Still to be paid: €85.00.'],
  ['fr', { soldeDu: '85.00 EUR' }, 'Il reste à régler 85,00 €.'],
  ['de', { offenerBetrag: '85.00 EUR' }, 'Noch zu zahlen sind 85,00 €.'],
  ['es', { saldoPendiente: '85.00 EUR' }, 'Queda por pagar: 85,00 €.'],
])('what is still open is no price in %s', (locale, facts, said) => {
  expect(letter('confirmation', locale, facts).body).toContain(said);
});

describe('a name in the language of the reader', () => {
  it.each([
    ['de', 'offeneLeihrate', 'Offene Leihrate'],
    ['de', 'naechsteVergabe', 'Nächste Vergabe'],
    ['de', 'terminVerlegbarUnter', 'Termin verlegbar unter'],
    ['es', 'coche_sustitucion', 'Coche sustitución'],
    ['fr', 'adresseArrivee', 'Adresse d’arrivée'],
  ])('is not put into other words of it (%s, %s)', (locale, name, label) => {
    expect(letter('notice', locale, { [name]: 'x1' }).body).toContain(
      `${label}: x1.`.replace(':', locale === 'fr' ? ' :' : ':'),
    );
  });
});

it.each([
  ['de', { zeitraum: '8 bis 11 Uhr' }, '8 bis 11 Uhr'],
  ['en', { period: '8 am to 11 am' }, 'The time is 8 am to 11 am.'],
])('a period of hours is a time of the day in %s', (locale, facts, said) => {
  const { body } = letter('notice', locale, facts);
  expect(body).toContain(said);
  expect(body).not.toMatch(/Dauer|duration/);
  expect(letter('offer', locale, { [Object.keys(facts)[0] ?? '']: '12 weeks' }).body).toMatch(
    /(?:Dauer|duration).{2,5}12 weeks/,
  );
});

it.each([
  ['payment_reminder', 'de', { offeneRate: '45.00 EUR', rateNr: '2', nachfristBis: '2026-12-08' }, 'über 45,00 € ist'],
  ['payment_reminder', 'de', { kontoIban: 'AT61 1904 3002 3457 3201' }, 'auf folgendes Konto: AT61'],
  ['refund_granted', 'en', { businessDays: '5 to 7 business days' }, '5 to 7 business days.'],
  ['confirmation', 'es', { fechaEntrada: '2026-12-04', horaEntrada: '08:30' }, 'es el 4 de diciembre de 2026, 8:30.'],
  ['notice', 'de', { jemandAnwesend: 'ja' }, 'Bitte seien Sie anwesend.'],
  ['apology_for_delay', 'fr', { nouvelleEcheance: '2026-12-20' }, 'La nouvelle date est le 20 décembre 2026.'],
])('what offices call it is known (%s, %s, %j)', (kind, locale, facts: Facts, said) => {
  expect(letter(kind, locale, facts).body).toContain(said);
});

it.each([
  ['rejection', 'de', { leitung: 'Anke Ritter', einrichtung: 'Kita Sonnenhügel' }, 'Anke Ritter\nKita Sonnenhügel'],
  ['confirmation', 'en', { signed_by: 'Dr Rao', clinic: 'Bright Smile' }, 'Dr Rao\nBright Smile'],
  ['notice', 'fr', { signataire: 'Luc Roy', mairie: 'Mairie de Cadillac' }, 'Luc Roy\nMairie de Cadillac'],
  ['offer', 'es', { firmante: 'Ana Gil', institucion: 'Instituto Sur' }, 'Ana Gil\nInstituto Sur'],
])('a person signs a %s for an institution in %s', (kind, locale, facts, signed) => {
  expect(letter(kind, locale, facts).body.endsWith(signed)).toBe(true);
});

it.each([
  [
    'en',
    { animal: 'Biscuit', bookingPhone: '01225 555 010' },
    'Animal: Biscuit\n\nYou can register by telephone on 01225 555 010.',
  ],
  ['de', { Tier: 'Biscuit', telefon: '0431 55' }, 'Tier: Biscuit\n\nTelefonisch erreichen Sie uns unter 0431 55.'],
])('a letter of no known purpose has sentences, too (%s)', (locale, facts, said) => {
  expect(letter('', locale, facts).body).toContain(said);
});
