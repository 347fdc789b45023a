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
