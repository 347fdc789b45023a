// Whose data a letter holds: the sender's and the reader's belong in it, others' private matters do not.
import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { whyNotApprovable } from '../../src/workflows/drafts/approval.ts';
import { draftFamily, inspectDraft } from '../../src/workflows/families/draft.ts';
import { ask } from './ask.ts';

const draft = (locale: string, kind: string, facts: Record<string, string>, purpose = 'letter') => {
  const made = ask(draftFamily, DraftDocumentRequestSchema, {
    ...{ locale, kind, purpose },
    facts: Object.entries(facts).map(([name, value]) => ({ name, value })),
  }).draft;
  if (!made) throw new Error('no draft');
  return made;
};

describe('contacts and accounts', () => {
  it.each([
    ['en', 'complaint', { problem: 'a broken chair', our_iban: 'DE12 5001 0517 0648 4898 90', phone: '0117 496 0182' }],
    [
      'de',
      'payment_reminder',
      { Rechnung: '7', Betrag: '9.00 EUR', IBAN: 'DE12 5001 0517 0648 4898 90', Telefon: '089 55501234' },
    ],
    ['es', 'confirmation', { cita: 'revisión', tel: '96 555 01 20', correo: 'hola@nubia.example' }],
    ['fr', 'apology_for_delay', { nouvelle_date: '2026-12-04', signature: 'Léa Picard, 04 78 55 01 33' }],
  ])('that a fact gives as such are no findings (%s, %s)', (locale, kind, facts) => {
    expect(draft(locale, kind, facts as unknown as Record<string, string>).findings).toEqual([]);
  });

  it('are findings where no fact gives them as such', () => {
    const { findings } = draft('en', 'notice', { date: '2026-12-04', note: 'call the neighbour on +44 7700 900123' });
    expect(findings.map(({ category }) => category)).toEqual(['personal_data']);
  });
});

describe('a risk', () => {
  it('is no word of a name', () => {
    const facts = { applicant: 'Olivia Grant', position: 'cook', fee: 'refunded within 5 days', contact: 'Bill Cash' };
    expect(draft('en', 'rejection', facts).findings).toEqual([]);
  });

  it('counts in whatever somebody writes into a later version', () => {
    const facts = [{ name: 'deadline', value: '2026-12-04', source: '' }];
    const text = 'Your account has been locked. Click here to verify your password: http://bank-login.example';
    const terms = { facts, mustAvoid: [], domain: '', locale: 'en' };
    expect(inspectDraft(text, terms).findings.map(({ category }) => category)).toContain('phishing');
  });
});

describe('what concerns somebody else', () => {
  it.each([
    ['en', 'internal_memo', 'Rosa Penn is off sick with depression'],
    ['en', 'notice', 'Mr Klein has been diagnosed with HIV'],
    ['de', 'internal_memo', 'Rosa Penn ist wegen einer Depression krankgeschrieben'],
    ['de', 'notice', 'Herr Klein leidet an Krebs'],
    ['es', 'internal_memo', 'Rosa Peña está de baja por depresión'],
    ['es', 'notice', 'el Sr. Gil tiene cáncer'],
    ['fr', 'internal_memo', 'Rosa Penn est en arrêt maladie pour dépression'],
    ['fr', 'notice', 'M. Klein souffre d’un cancer'],
  ])('and is private is critical (%s, %s: %s)', (locale, kind, reason) => {
    const made = draft(locale, kind, { subject: 'absence', date: '2026-12-04', reason });
    expect(made.findings.map(({ category, severity }) => [category, severity])).toContainEqual(['privacy', 'critical']);
    expect(whyNotApprovable(made)).toContain('privacy');
  });

  it.each([
    ['en', 'sick_note', { child: 'Rosa Penn', from: '2026-12-04', reason: 'she has been diagnosed with depression' }],
    ['en', 'internal_memo', { subject: 'health day', reason: 'a talk on how to prevent burnout' }],
    ['de', 'internal_memo', { Thema: 'Vorsorge', Grund: 'Spendenlauf für die Krebsforschung' }],
    ['es', 'notice', { fecha: '2026-12-04', motivo: 'el técnico está de baja' }],
    ['fr', 'notice', { date: '2026-12-04', motif: 'Mme Roux est absente' }],
  ])('stays where it is reported, or concerns nobody (%s, %s)', (locale, kind, facts) => {
    const { findings } = draft(locale, kind, facts as unknown as Record<string, string>);
    expect(findings.filter(({ severity }) => severity === 'critical')).toEqual([]);
  });
});

describe('a certain cure or gain', () => {
  it.each([
    ['en', 'guaranteed to cure cancer'],
    ['de', 'Heilt garantiert jede Form von Krebs'],
    ['es', 'cura garantizada del cáncer'],
    ['fr', 'guérit à coup sûr le cancer'],
  ])('is not approved (%s, %s)', (locale, effect) => {
    const made = draft(locale, 'offer', { product: 'herbal tea', price: '12.00 EUR', effect });
    expect(whyNotApprovable(made)).toContain('misleading_health');
  });
});
