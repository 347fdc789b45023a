import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { ask } from './ask.ts';

const body = (locale: string, recipient: string, tone = '') =>
  ask(draftFamily, DraftDocumentRequestSchema, {
    ...{ locale, tone, purpose: 'complain', kind: 'complaint' },
    facts: [
      { name: 'recipient', value: recipient },
      { name: 'problem', value: 'x' },
    ],
  }).draft?.body ?? '';

describe('who is written to', () => {
  it.each([
    ['en', 'Telekom GmbH', 'Dear Sir or Madam,'],
    ['en', 'Northern Water plc', 'Dear Sir or Madam,'],
    ['de', 'Telekom GmbH', 'Sehr geehrte Damen und Herren,'],
    ['de', 'Hausverwaltung Kern', 'Sehr geehrte Damen und Herren,'],
    ['es', 'Gimnasio Sol S.L.', 'Estimados señores:'],
    ['fr', 'Mutuelle du Nord', 'Madame, Monsieur,'],
  ])('is no person where it is a company (%s, %s)', (locale, recipient, salutation) => {
    for (const tone of ['', 'formal']) expect(body(locale, recipient, tone)).toMatch(`${recipient}\n\n${salutation}\n`);
  });

  it.each([
    ['en', 'Mr Bank', 'Dear Mr Bank,'],
    ['en', 'Clara Costa', 'Dear Clara Costa,'],
    ['de', 'Frau Amt', 'Sehr geehrte Frau Amt,'],
    ['es', 'Sra. Banco', 'Estimada Sra. Banco:'],
    ['fr', 'Madame Service', 'Madame Service\n\nMadame,'],
  ])('is a person where the name says so (%s, %s)', (locale, recipient, salutation) => {
    expect(body(locale, recipient, 'formal').startsWith(salutation)).toBe(true);
  });

  it.each([
    ['en', 'Mr Bank', 'Yours sincerely'],
    ['en', 'Northern Water plc', 'Yours faithfully'],
    ['fr', 'Madame Durand', 'Veuillez agréer, Madame, nos'],
    ['fr', 'M. Durand', 'Veuillez agréer, Monsieur, nos'],
    ['fr', 'Mutuelle du Nord', 'Veuillez agréer, Madame, Monsieur, nos'],
  ])('is taken leave of as they were addressed (%s, %s)', (locale, recipient, closing) => {
    expect(body(locale, recipient, 'formal')).toContain(closing);
  });

  it.each([
    ['de', 'Berger', '', 'Berger\n\nGuten Tag,\n'],
    ['de', 'Berger', 'formal', 'Berger\n\nSehr geehrte Damen und Herren,\n'],
    ['de', 'Lena', 'friendly', 'Hallo Lena,\n'],
    ['en', 'Okafor', 'formal', 'Okafor\n\nDear Sir or Madam,\n'],
    ['en', 'Priya', '', 'Dear Priya,\n'],
    ['es', 'Molina', '', 'Molina\n\nBuenos días:\n'],
    ['fr', 'Lambert', '', 'Lambert\n\nBonjour,\n'],
  ])('is not addressed by one name alone, but for friends (%s, %s, %s)', (locale, recipient, tone, begins) => {
    expect(body(locale, recipient, tone).startsWith(begins)).toBe(true);
  });

  it.each([
    ['de', 'Herrn Thomas Weigl', 'Sehr geehrter Herr Thomas Weigl,'],
    ['de', 'Hr. Weigl', 'Sehr geehrter Herr Weigl,'],
    ['de', 'Eheleute Weigl', 'Sehr geehrte Eheleute Weigl,'],
    ['de', 'Herr und Frau Weigl', 'Guten Tag Herr und Frau Weigl,'],
    ['es', 'Sr. y Sra. Gil', 'Estimados Sr. y Sra. Gil:'],
    ['es', 'Dra. Gil', 'Estimada Dra. Gil:'],
    ['fr', 'M. et Mme Garnier', 'M. et Mme Garnier\n\nMadame, Monsieur,'],
  ])('is addressed with the title as people say it (%s, %s)', (locale, recipient, begins) => {
    expect(body(locale, recipient, 'formal').startsWith(begins)).toBe(true);
  });

  it.each([
    ['en', 'Rowan Printing', 'Dear Sir or Madam,'],
    ['de', 'Malerbetrieb Ruppert', 'Sehr geehrte Damen und Herren,'],
    ['de', 'Bäckerei Nowak', 'Sehr geehrte Damen und Herren,'],
    ['es', 'Talleres Gil', 'Estimados señores:'],
    ['fr', 'Boulangerie Maury', 'Madame, Monsieur,'],
  ])('is a firm where the name says its trade (%s, %s)', (locale, recipient, salutation) => {
    for (const tone of ['', 'formal']) expect(body(locale, recipient, tone)).toMatch(`${recipient}\n\n${salutation}\n`);
  });

  it.each([
    ['de', 'Anna Neuhaus', 'Guten Tag Anna Neuhaus,'],
    ['de', 'Jonas Partnach', 'Guten Tag Jonas Partnach,'],
    ['en', 'Tara Garrison', 'Dear Tara Garrison,'],
  ])('is a person whose name only looks like a trade (%s, %s)', (locale, recipient, begins) => {
    expect(body(locale, recipient, 'formal').startsWith(begins)).toBe(true);
  });
});
