// Facts as CRMs and ERPs give them: parts of a name, sums without a currency, numbers whose unit the name says, names of no meaning.
import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { inWords } from '../../src/workflows/families/draft-labels.ts';
import { ask } from './ask.ts';

const draft = (kind: string, locale: string, facts: Readonly<Record<string, string>>, more: object = {}) => {
  const listed = Object.entries(facts).map(([name, value]) => ({ name, value }));
  const request = { purpose: 'see the facts', kind, locale, facts: listed, assist: 'off', ...more };
  const reply = ask(draftFamily, DraftDocumentRequestSchema, request);
  const body = (reply.draft?.body ?? '').replaceAll(/[\u00a0\u202f]/g, ' ');
  return { body, title: reply.draft?.title, unused: reply.unusedFields, findings: reply.draft?.findings };
};

describe("the parts of a person's name", () => {
  it.each([
    ['en', { 'customer.firstName': 'Dana', 'customer.lastName': 'Whitfield' }, 'Dear Dana Whitfield,'],
    ['de', { Anrede: 'Herr', Nachname: 'Petersen', Vorname: 'Jens' }, 'Sehr geehrter Herr Jens Petersen,'],
    ['es', { cli_nombre: 'Luis', cli_apellidos: 'Prado Gil' }, 'Luis Prado Gil'],
    ['fr', { civilite: 'Mme', prenom: 'Nadia', nom: 'Lambert' }, 'Mme Nadia Lambert'],
  ])('are one name in %s', (locale, facts, said) => {
    const { body, unused } = draft(
      'payment_reminder',
      locale,
      { invoice: 'F-1', amount: '20.00 EUR', ...facts },
      { tone: 'formal' },
    );
    expect(body).toContain(said);
    expect(unused).toEqual([]);
  });

  it('of two people stay apart', () => {
    const { body } = draft('confirmation', 'en', {
      customer_name: 'Ms Ray',
      technician_name: 'Bo Lind',
      item: 'repair',
    });
    expect(body).toContain('Ms Ray');
    expect(body).toContain('The person in charge is Bo Lind.');
  });
});

describe('a value', () => {
  it('that is a sum has the currency which stands beside it', () => {
    const { body } = draft('payment_reminder', 'de-DE', { inv_no: 'R-1', amt_due: '1642.50', currency: 'EUR' });
    expect(body).toContain('1.642,50 €');
    expect(body).not.toContain('urrency');
  });

  it('without a sum beside it, a currency is a fact', () => {
    expect(draft('', 'en', { currency: 'EUR' }).body).toContain('Currency: EUR');
  });

  it.each([
    ['en', { repair_duration_days: '10' }, 'Repair duration: 10 days'],
    ['es', { validez_dias: '1' }, '1 día'],
    ['fr', { tx_tva: '5.5' }, '5,5 %'],
    ['de', { lieferung_inklusive: 'true' }, 'ja'],
    ['es', { iva_incluido: 'FALSE' }, 'IVA incluido: no'],
  ])("has the unit of its name, and is in the reader's language: %s", (locale, facts, said) => {
    expect(draft('offer', locale, { item: 'x', price: '10.00 EUR', ...facts }).body).toContain(said);
  });

  it('that is still open is what is asked for, and the total stands beside it', () => {
    const { body } = draft('payment_reminder', 'fr', {
      num_facture: 'F1',
      montant_ttc: '1488.00 EUR',
      solde_du: '488.00 EUR',
    });
    expect(body).toContain("d'un montant de 488,00 €");
    expect(body).toContain('1 488,00 €');
  });
});

describe('a name that no meaning has', () => {
  it.each([
    ['duree_estimee', 'fr', 'durée estimée'],
    ['indiceAplicado', 'es', 'índice aplicado'],
    ['prochaineDispo', 'fr', 'prochaine disponibilité'],
    ['resp_sede', 'es', 'responsable de sede'],
    ['repairDuration', 'es', 'duración de reparación'],
    ['ship_volume', 'en', 'ship volume'],
    ['Bestaetigung_erbeten', 'de', 'Bestätigung erbeten'],
    ['zork_id', 'en', 'zork number'],
  ])('%s is written for readers of %s as they would', (name, language, said) => {
    expect(inWords(name, language as 'en')).toBe(said);
  });
});
