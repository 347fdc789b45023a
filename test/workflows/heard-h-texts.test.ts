// Wordings that customers met: each says what was given, in the reader's language.
import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { chooseNextAction } from '../../src/pulse/next-action.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { wordsFor } from '../../src/workflows/words/words.ts';
import { ask } from './ask.ts';

const told = (locale: string, category: string, description: string, attributes: Record<string, unknown>) =>
  ask(readinessFamily, ScoreListingRequestSchema, {
    locale,
    listing: { title: 'Pixel 7', description, category, attributes },
  })
    .blockers.filter(({ check }) => check.startsWith('contradiction-'))
    .map(({ message }) => message);

describe('a contradiction of condition', () => {
  it.each([
    ['en', 'New', 'Sold for parts.', 'The field gives the condition as new, the text as broken.'],
    ['de', 'Neu', 'Geht leider nicht mehr an.', 'Der Zustand ist laut Feld neu, laut Text defekt.'],
    ['es', 'Nuevo', 'No enciende.', 'Estado según el campo: nuevo; según el texto: averiado.'],
    ['fr', 'Neuf', "Il ne s'allume plus.", 'État selon le champ : neuf ; selon le texte : en panne.'],
    ['en', 'Good', 'It does not turn on.', 'The field gives the condition as good, the text as broken.'],
    ['en', 'for parts', 'In very good condition.', 'The field gives the condition as broken, the text as very good.'],
    [
      'de',
      'defekt',
      'Das Handy ist neuwertig, sehr guter Zustand.',
      'Der Zustand ist laut Feld defekt, laut Text sehr gut.',
    ],
    ['es', 'averiado', 'Está en buen estado.', 'Estado según el campo: averiado; según el texto: bueno.'],
    ['fr', 'en panne', 'Il est en bon état.', 'État selon le champ : en panne ; selon le texte : bon.'],
    ['en', 'New', 'Used daily for three years.', 'The field gives the condition as new, the text as used.'],
  ])('is told as it was given (%s, %s: %s)', (locale, condition, description, message) => {
    expect(told(locale, 'Phones', description, { condition })).toEqual([message]);
  });

  it.each([
    ['New', 'Brand new, sealed.'],
    ['Good', 'Good condition, used for two years.'],
    ['for parts', 'Sold for parts, the display is broken.'],
    ['Like new', 'Like new, no scratches.'],
    ['Used', 'It does not turn on.'],
  ])('is none where both say the same (%s: %s)', (condition, description) => {
    expect(told('en', 'Phones', description, { condition })).toEqual([]);
  });
});

describe('a value of a field', () => {
  it.each([
    ['de', 'Autos', 'Schöner Wagen. Diesel, 110 PS.', { fuel: 'petrol' }, 'Benzin und „Diesel“'],
    ['es', 'Coches', 'Motor diésel de 110 CV.', { fuel: 'petrol' }, 'gasolina y «diésel»'],
    ['fr', 'Voitures', 'Moteur diesel de 110 ch.', { fuel: 'petrol' }, 'essence et « diesel »'],
    ['en', 'Cars', 'A diesel with 110 bhp.', { fuel: 'Benzin' }, 'petrol, and "diesel"'],
    ['fr', 'Locations', 'Appartement meublé, 40 m².', { furnished: false }, 'non meublé et « meublé »'],
    ['de', 'Wohnungen', 'Wohnung, möbliert, 40 m².', { furnished: false }, 'unmöbliert und „möbliert“'],
    ['es', 'Pisos', 'Piso amueblado, 40 m².', { furnished: false }, 'sin amueblar y «amueblado»'],
    ['de', 'Autos', 'Mit Automatik.', { gearbox: 'manual' }, 'Schaltgetriebe und „Automatik“'],
    ['fr', 'Voitures', 'Boîte automatique.', { gearbox: 'manual' }, 'manuelle et « automatique »'],
    ['de', 'Autos', 'Unfallfrei.', { accidentFree: false }, 'nicht unfallfrei und „Unfallfrei“'],
    ['es', 'Empleo', 'Jornada completa.', { workload: 'part-time' }, 'jornada parcial y «Jornada completa»'],
  ])('is told in words of the reply (%s, %s: %s %o)', (locale, category, description, attributes, words) => {
    expect(told(locale, category, description, attributes).join()).toContain(words);
  });

  it('that is a number stays as it is', () => {
    expect(told('de', 'Autos', 'Baujahr 2012, Diesel.', { year: '2016' }).join()).toContain('2016 und „Baujahr 2012“');
  });
});

describe('a date in a form', () => {
  const check = (locale: string, born: string) => {
    const [field] = ask(guidanceFamily, CheckProfileRequestSchema, {
      locale,
      form: { name: 'own', fields: [{ name: 'birth_date', label: 'Date of birth', kind: 'date', required: true }] },
      values: { birth_date: born },
    }).fields;
    return [field?.status, field?.message ?? ''] as const;
  };

  it.each([
    ['en', '7 March 1988'],
    ['en', 'March 7, 1988'],
    ['en', 'the 7th of March 1988'],
    ['en', 'Sept. 7 1988'],
    ['en', '7-Mar-1988'],
    ['de', '7. März 1988'],
    ['de', '7.März 1988'],
    ['de-AT', '31. Jänner 1988'],
    ['es', '7 de marzo de 1988'],
    ['es', '1º de mayo de 1988'],
    ['fr', '7 mars 1988'],
    ['fr', '1er août 1988'],
    ['fr', '29 février 1988'],
  ])('may name its month (%s: %s)', (locale, born) => {
    expect(check(locale, born)).toEqual(['ok', '']);
  });

  it.each([
    ['en', '31 February 1988', 'does not exist'],
    ['en', 'February 31, 1988', 'does not exist'],
    ['de', '31. April 1988', 'gibt es nicht'],
    ['es', '31 de febrero de 1988', 'no existe'],
    ['fr', '29 février 1987', 'n’existe pas'],
    ['en', '7 Marching 1988', '2024-05-17'],
    ['en', '7 decorated 1988', '2024-05-17'],
    ['en', 'March 1988', '2024-05-17'],
    ['en', '7 March', '2024-05-17'],
    ['en', 'in March 1988', '2024-05-17'],
    ['en', '7 March 88', '2024-05-17'],
    ['en', '123 May 1988', '2024-05-17'],
    ['en', '7 May 19888', '2024-05-17'],
    ['en', 'spring 1988', '2024-05-17'],
    ['en', '7 March 1988 or 1989', '2024-05-17'],
  ])('must be a day that there is (%s: %s)', (locale, born, says) => {
    const [status, message] = check(locale, born);
    expect(status).toBe('invalid');
    expect(message).toContain(says);
  });
});

describe('the language of a reply without a locale', () => {
  it.each([
    'Fiat 500 1.2 Lounge 2014\n45,000 miles',
    'Ford Fiesta Zetec\n60,000 miles (96,560 km) 2016',
    'VW Golf 1.6 TDI 2015 automatic',
    'Audi A4\n60,000 miles (96,560 km) 2016',
    '60,000 miles (96,560 km) 2016',
    'Samsung Galaxy S21 128 GB',
    'Vauxhall Corsa Design, 41,000 miles',
    'Peugeot 308 Allure, 60,000 miles, full service history',
    'Toyota Corolla\nOne owner, 60,000 miles, 2016',
  ])('is English without certainty (%s)', (text) => {
    expect(wordsFor('', text).language).toBe('en');
  });

  it.each([
    ['es', 'Piso en venta\nCon 2 baños y 4 dormitorios.'],
    ['es', 'Sofa cama 3 plazas'],
    ['es', 'Kia Sportage\nCambio automático, 132 CV.'],
    ['es', 'Había miles de personas en la plaza'],
    ['de', 'iPhone 12\nGeht leider nicht mehr an.'],
    ['de', 'Opel Astra\nUnfallwagen mit Frontschaden.'],
    ['de', 'Wohnung\nEnergieklasse F, 60 m².'],
    ['fr', 'Appartement\nNon meublé, 40 m².'],
    ['fr', 'Dacia Duster\nMoteur diesel de 110 ch.'],
  ])('is that of its words (%s: %s)', (language, text) => {
    expect(wordsFor('', text).language).toBe(language);
  });
});

describe('what a Pulse report says', () => {
  const action = (locale: string, lost: number, of: number) => {
    const totals = { sessions: of, active: 0, completed: 0, abandoned: 0, erroredSessions: lost };
    const line = { step: 'pay', code: 'E1', occurrences: lost, sessions: lost, rate: lost / of, recoveredSessions: 0 };
    return chooseNextAction({ totals, funnel: [], stalls: [], errors: lost === 0 ? [] : [line] }, locale);
  };

  it.each([
    ['en', 1, 1, '1 session (100% of those'],
    ['en', 5, 8, '5 sessions (62.5% of those'],
    ['de', 25, 50, 'Er traf 25 Sitzungen (50\u00a0% der Sitzungen in diesem Schritt)'],
    ['es', 5, 8, '(62,5\u00a0% de'],
    ['es-MX', 5, 8, '(62.5% de'],
    ['fr', 1, 1, '(100\u00a0% de'],
  ])('of a share is in one style (%s: %d of %d)', (locale, lost, of, says) => {
    expect(action(locale, lost, of)).toContain(says);
  });

  it.each([
    ['en', '5%'],
    ['de', '5\u00a0%'],
    ['es', '5\u00a0%'],
    ['es-MX', '5%'],
    ['fr', '5\u00a0%'],
  ])('of nothing lost is in the same style (%s)', (locale, says) => {
    expect(action(locale, 0, 8)).toContain(` ${says} `);
  });
});

describe('a letter', () => {
  const letter = (locale: string, kind: string, facts: Record<string, string>, more: object = {}) =>
    ask(draftFamily, DraftDocumentRequestSchema, {
      ...{ locale, kind, purpose: 'zebra walrus' },
      facts: Object.entries(facts).map(([name, value]) => ({ name, value })),
      ...more,
    }).draft?.body ?? '';
  const owed = { invoice: '7', amount: '100 EUR' };

  it.each([
    ['en', 'within 7 days', 'Please pay. Deadline: within 7 days.'],
    ['en', '7-10 days', 'Please pay. Deadline: 7-10 days.'],
    ['en', 'as soon as possible', 'Deadline: as soon as possible.'],
    ['de', 'in 7 Tagen', 'Bitte zahlen Sie. Frist: in 7 Tagen.'],
    ['de', 'so bald wie möglich', 'Frist: so bald wie möglich.'],
    ['es', '7 días', 'Le rogamos que pague. Plazo: 7 días.'],
    ['fr', '7 jours', 'Nous vous prions de payer. Délai : 7 jours.'],
    ['en', '2026-12-15', 'Please pay by December 15, 2026.'],
    ['en-GB', '15 December', 'Please pay by 15 December.'],
    ['en', 'Friday, noon', 'Please pay by Friday, noon.'],
    ['de', '15.12.2026', 'bis zum 15.12.2026.'],
    ['de', '15. Dezember', 'bis zum 15. Dezember.'],
    ['de', '15.12.', 'bis zum 15.12.'],
    ['es', '15 de diciembre', 'a más tardar el 15 de diciembre.'],
    ['fr', '1er mars', 'au plus tard le 1er mars.'],
    ['fr', 'vendredi', 'au plus tard le vendredi.'],
    ['en', '12/15', 'Please pay by 12/15.'],
    ['en', '', 'Please pay by [[deadline]].'],
  ])('has a preposition only before a day (%s: %s)', (locale, deadline, says) => {
    expect(letter(locale, 'payment_reminder', { ...owed, deadline })).toContain(says);
  });

  it.each([
    [
      'en',
      'notice',
      { subject: 'New hours', effectiveDate: 'as soon as possible' },
      'It takes effect: as soon as possible.',
    ],
    ['de', 'notice', { subject: 'Neue Zeiten', effectiveDate: 'sofort' }, 'Beginn der Änderung: sofort.'],
    ['fr', 'notice', { subject: 'Horaires', effectiveDate: 'dès que possible' }, "Prise d'effet : dès que possible."],
    ['de', 'notice', { subject: 'Neue Zeiten', effectiveDate: '2026-12-01' }, 'Die Änderung gilt ab 1. Dezember 2026.'],
    ['de', 'apology_for_delay', { newDate: 'Montag', oldDate: 'gestern' }, 'Der bisherige Termin war: gestern.'],
    ['es', 'apology_for_delay', { newDate: 'lunes', oldDate: 'ayer' }, 'Fecha prevista: ayer.'],
    ['de', 'apology_for_delay', { newDate: 'Montag', oldDate: 'xyz' }, 'Bisheriger Termin: xyz.'],
    [
      'en',
      'complaint',
      { problem: 'It is broken', deadline: 'within 7 days' },
      'Please answer. Deadline: within 7 days.',
    ],
    ['de', 'complaint', { problem: 'Riss', Forderung: 'Austausch' }, 'Wir bitten um Folgendes: Austausch.'],
    ['de', 'complaint', { problem: 'Riss', Forderung: '250 €' }, 'Es geht um 250 €.'],
    ['en', 'complaint', { problem: 'A crack', claim: 'replacement' }, 'replacement.'],
    ['en', 'sick_note', { from: 'Monday', until: 'Wednesday' }, 'cannot come from Monday to Wednesday.'],
    ['en', 'sick_note', { from: 'today', until: 'as needed, days' }, 'cannot come. Absence: today'],
  ])('of %s (%s, %o) says what was given', (locale, kind, facts, says) => {
    expect(letter(locale, kind, facts as unknown as Record<string, string>)).toContain(says);
  });

  it('ends a contract also at a time without a date', () => {
    const facts = { contract: 'Gym', endsOn: 'as soon as possible' };
    const body = letter('en', 'notice', facts, { purpose: 'cancel our gym membership' });
    expect(body).toContain('ending the following contract: Gym. It ends: as soon as possible.');
  });

  it.each([
    ['en', 'Dear neighbours', 'Dear neighbours,'],
    ['en', 'Dear neighbours,', 'Dear neighbours,'],
    ['en', 'Dear Sir or Madam', 'Dear Sir or Madam,'],
    ['de', 'Liebe Nachbarn', 'Liebe Nachbarn,'],
    ['de', 'Sehr geehrte Damen und Herren', 'Sehr geehrte Damen und Herren,'],
    ['es', 'Estimados vecinos', 'Estimados vecinos:'],
    ['fr', 'Chers voisins', 'Chers voisins,'],
    ['en', 'neighbours', 'Dear neighbours,'],
    ['en', 'Deary Smith', 'Dear Deary Smith,'],
    ['en', 'Dear', 'Dear Dear,'],
    ['de', 'Liebermann', 'Liebermann\n\nGuten Tag,'],
    ['fr', 'Cherif Diallo', 'Bonjour Cherif Diallo,'],
    ['en', 'Hello Bank', 'Hello Bank\n\nDear Sir or Madam,'],
  ])('greets once (%s: %s)', (locale, recipient, says) => {
    expect(letter(locale, 'complaint', { recipient, problem: 'x' })).toMatch(new RegExp(`^${says}\n`));
  });
});
