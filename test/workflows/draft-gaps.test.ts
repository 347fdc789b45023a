// What a draft lacks, sums as people write them, and reasons that nobody may give.
import { expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { ask } from './ask.ts';

const draft = (purpose: string, locale: string, facts: Record<string, string> = {}) =>
  ask(draftFamily, DraftDocumentRequestSchema, {
    purpose,
    locale,
    facts: Object.entries(facts).map(([name, value]) => ({ name, value })),
  });

it.each([
  ['thank you letter', 'en', 'content'],
  ['Dankschreiben', 'de', 'Inhalt'],
  ['boletín', 'es', 'contenido'],
  ['mot de bienvenue', 'fr', 'contenu'],
])('a draft of which nothing is given has a place for it: %s', (purpose, locale, content) => {
  const reply = draft(purpose, locale);
  expect(reply.draft?.placeholders).toEqual([content]);
  expect(reply.missingFacts).toEqual([content]);
  expect(reply.nextBestAction).toContain(content);
});

it('neither a day nor a sum says what a complaint is about', () => {
  const reply = draft('complaint', 'en', { product: 'dining table', amount: '12.50 GBP', date: '2026-11-02' });
  expect(reply.missingFacts).toEqual(['problem']);
});

it.each([
  ['en', '12.5 GBP', '£12.50'],
  ['de', '1250.5 EUR', '1.250,50 €'],
  ['es', '1250.5 EUR', '1250,50 €'],
  ['fr', 'EUR 1250.5', '1 250,50 €'],
])('a sum with one decimal is written as money: %s %s', (locale, amount, written) => {
  const body = draft('payment reminder', locale, { amount, invoice: '4711' }).draft?.body.replace(
    /[\u00a0\u202f]/g,
    ' ',
  );
  expect(body).toContain(written);
});

it('a name in code is no label', () => {
  const body = draft('offer', 'en', { product: 'shed', price: '10 EUR', deliveryTime: '2 weeks' }).draft?.body;
  expect(body).toContain('- Delivery time: 2 weeks');
});

it.each([
  ['rejection of an application', 'en', { position: 'cook', reason: 'too old for the team' }],
  ['Absage auf eine Bewerbung', 'de', { Stelle: 'Koch', Grund: 'zu alt für das Team' }],
  ['rechazo de candidatura', 'es', { puesto: 'cocinera', motivo: 'demasiado mayor' }],
  ['refus de candidature', 'fr', { poste: 'cuisinière', motif: 'trop âgée' }],
])('a rejection by age is not approved: %s', (purpose, locale, facts) => {
  const reply = draft(purpose, locale, facts as Record<string, string>);
  expect(reply.draft?.riskLevel).toBe('high');
  expect(reply.draft?.findings.map(({ category }) => category)).toContain('discrimination_hiring');
});
