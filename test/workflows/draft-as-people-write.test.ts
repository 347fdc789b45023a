// Letters as people ask for them, in short purposes and everyday names of facts.
import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { ask } from './ask.ts';

const write = (purpose: string, facts: Readonly<Record<string, string>> = {}) => {
  const listed = Object.entries(facts).map(([name, value]) => ({ name, value }));
  const { draft } = ask(draftFamily, DraftDocumentRequestSchema, { purpose, facts: listed });
  if (!draft) throw new Error('no draft');
  return draft;
};

describe('the kind of a letter by the word for it', () => {
  const kindOf = (kind: string) =>
    ask(draftFamily, DraftDocumentRequestSchema, { purpose: 'to the customer', kind }).draft?.kind;
  it.each(['quote', 'devis', 'Angebot', 'presupuesto', 'Kostenvoranschlag'])('%s is an offer', (kind) => {
    expect(kindOf(kind)).toBe('offer');
  });
});

describe('a letter', () => {
  it('is in the language of its facts where the purpose is short', () => {
    expect(write('Bewerberin absagen', { Bewerberin: 'Frau Novak', Stelle: 'Nachtportierin' }).body).toContain(
      'Guten Tag Frau Novak',
    );
  });

  it.each([
    [
      'Fitnessstudio kündigen',
      { Absender: 'Tom Reiter', Ende: '2026-12-31' },
      'hiermit kündige ich folgenden Vertrag zum',
    ],
    ['den Vertrag kündigen', { Absender: 'Reiter GmbH', Ende: '2026-12-31' }, 'hiermit kündigen wir den Vertrag zum'],
    [
      'unseren Vertrag kündigen',
      { Absender: 'Tom Reiter', Ende: '2026-12-31' },
      'hiermit kündigen wir den Vertrag zum',
    ],
    [
      'cancel my gym membership',
      { gym: 'FitPoint', end: '2026-12-31' },
      'following contract on December 31, 2026: membership.',
    ],
    ['cancel my gym membership', { gym: 'FitPoint', end: '2026-12-31' }, 'Dear Sir or Madam'],
  ])('that ends a contract is written by who signs it: %s', (purpose, facts, said) => {
    expect(write(purpose, facts as unknown as Record<string, string>).body).toContain(said);
  });

  it.each([
    [
      'tell the tenants that the rent goes up',
      { 'old rent': '820.00 GBP', 'new rent': '860.00 GBP', from: '2027-02-01' },
      'From February 1, 2027, you pay £860.00 instead of £820.00.',
    ],
    [
      'Mieterhöhung mitteilen',
      { 'alte Miete': '820.00 EUR', 'neue Miete': '860.00 EUR', ab: '2027-02-01' },
      'Ab 1. Februar 2027 zahlen Sie 860,00 € statt bisher 820,00 €.',
    ],
    [
      'comunicar la subida del alquiler',
      { 'alquiler anterior': '720.00 EUR', 'nuevo alquiler': '750.00 EUR', desde: '2027-02-01' },
      'A partir del 1 de febrero de 2027 pagará 750,00 € en lugar de 720,00 €.',
    ],
    [
      'annoncer une hausse de loyer',
      { 'ancien loyer': '720.00 EUR', 'nouveau loyer': '750.00 EUR', 'à partir du': '2027-02-01' },
      'À compter du 1er février 2027, vous paierez 750,00 € au lieu de 720,00 €.',
    ],
  ])('says what is paid from when: %s', (purpose, facts, said) => {
    const { body } = write(purpose, facts as unknown as Record<string, string>);
    expect(body.replaceAll(/[\u00a0\u202f]/g, ' ')).toContain(said);
  });

  it('that reminds of a payment asks for it, with a day or without', () => {
    const facts = { invoice: '2214', amount: '340.00 GBP', 'due date': '2026-10-30' };
    expect(write('remind a customer of an unpaid invoice', facts).body).toContain('Please pay it without delay.');
    const withDay = write('remind a customer of an unpaid invoice', { ...facts, 'pay by': '2026-12-04' }).body;
    expect(withDay).toContain('Please pay by December 4, 2026.');
    expect(withDay).not.toContain('without delay');
  });

  it.each([
    [
      'confirm the booking',
      { room: 'double', arrival: '2026-12-11', departure: '2026-12-13' },
      'Your room: double. You arrive on December 11, 2026 and leave on December 13, 2026.',
    ],
    [
      'Zimmerreservierung bestätigen',
      { Zimmer: 'Doppelzimmer', Anreise: '2026-12-11', Abreise: '2026-12-13' },
      'Ihre Anreise ist am 11. Dezember 2026, Ihre Abreise am 13. Dezember 2026.',
    ],
    [
      'confirmar la reserva del hotel',
      { habitación: 'doble', llegada: '2026-12-11', salida: '2026-12-13' },
      'Su llegada es el 11 de diciembre de 2026 y su salida, el 13 de diciembre de 2026.',
    ],
    [
      'confirmer la réservation',
      { chambre: 'double', arrivée: '2026-12-01', départ: '2026-12-03' },
      'Vous arrivez le 1er décembre 2026 et repartez le 3 décembre 2026.',
    ],
  ])('confirms a stay: %s', (purpose, facts, said) => {
    expect(write(purpose, facts as unknown as Record<string, string>).body).toContain(said);
  });

  it('has a line for each of what stands in a row', () => {
    const { body } = write('minutes of the meeting', { meeting: 'Shop team', decisions: 'New hours; Two temps' });
    expect(body).toContain('Decisions:\n- New hours\n- Two temps');
  });
});

describe('what has to be included', () => {
  const openIn = (mustInclude: string) =>
    ask(draftFamily, DraftDocumentRequestSchema, { purpose: 'to the customer', mustInclude: [mustInclude] }).draft
      ?.placeholders;
  it.each(['fecha de entrega de llaves', "date de l'accusé de réception", 'name of the person in charge'])(
    'is a name however many small words it has: %s',
    (name) => {
      expect(openIn(name)).toEqual([name]);
    },
  );

  it.each(['Please bring the signed form with you', 'La entrega de las llaves se hace en la portería'])(
    'is a text where it says more than a name: %s',
    (text) => {
      expect(openIn(text)).toEqual([]);
    },
  );
});

describe('names of everyday facts', () => {
  it.each([
    ['tell staff that the kitchen is closed', { to: 'All staff', from: 'Facilities', subject: 'Kitchen' }, 'en'],
    ['internes Memo: Küche geschlossen', { an: 'Alle', von: 'Haustechnik', Thema: 'Küche' }, 'de'],
    ['nota interna: cocina cerrada', { para: 'Todo el personal', de: 'Mantenimiento', asunto: 'Cocina' }, 'es'],
    ['note de service : cuisine fermée', { à: 'Tous', pour: 'Tous', de: 'Services généraux', objet: 'Cuisine' }, 'fr'],
  ])('the head of a memo names its reader and its writer: %s', (purpose, facts, locale) => {
    const listed = Object.entries(facts).map(([name, value]) => ({ name, value: String(value) }));
    const { draft } = ask(draftFamily, DraftDocumentRequestSchema, {
      ...{ purpose, facts: listed, locale, kind: 'internal_memo' },
    });
    const [reader = '', , ...rest] = draft?.body.split('\n') ?? [];
    const { to, an, para, pour, from, von, de } = facts as Record<string, string>;
    expect(reader).toContain(to ?? an ?? para ?? pour);
    expect(rest.at(-1)).toBe(from ?? von ?? de);
  });

  it('from and to of a day say when something begins and ends', () => {
    expect(write('memo to the staff', { subject: 'Kitchen', from: '2026-12-07' }).body).toContain(
      'It begins on December 7, 2026.',
    );
  });

  it.each([
    [
      'Invitar a los compañeros',
      { motivo: 'la jubilación de Carmen', fecha: '2026-12-18' },
      'lo siguiente: la jubilación',
    ],
    ['Einladung an die Kollegen', { Anlass: 'Abschied von Karin', Datum: '2026-12-18' }, 'Abschied von Karin'],
    ['invite the team', { occasion: 'farewell of Kim', date: '2026-12-18' }, 'farewell of Kim'],
  ])('what an invitation is to may be called its occasion: %s', (purpose, facts, said) => {
    const { body, title } = write(purpose, facts as unknown as Record<string, string>);
    expect(`${title}\n${body}`).toContain(said);
    expect(body).not.toMatch(/^- /m);
  });

  it('"confirmar" is the day until which to answer', () => {
    const facts = { motivo: 'la jubilación', fecha: '2026-12-18', confirmar: '2026-12-11' };
    expect(write('Invitar a los compañeros', facts).body).toContain('a más tardar el 11 de diciembre de 2026');
  });

  it.each([
    ['Ich bin vom 30. November bis 2. Dezember krank und möchte mich abmelden', 'ab [[Beginn]] nicht'],
    ['Estoy desde el lunes enfermo', '[[fecha de inicio]]'],
    ['Je suis depuis lundi malade', '[[date de début]]'],
  ])('whoever is ill says so with the days in between: %s', (purpose, open) => {
    const { kind, body } = write(purpose, { [purpose.startsWith('Ich') ? 'Vertretung' : 'contact']: 'Tim Wolf' });
    expect(kind).toBe('sick_note');
    expect(body).toContain(open);
  });
});
