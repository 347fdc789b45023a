import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { ask } from './ask.ts';

const draft = (locale: string, purpose: string, facts: Readonly<Record<string, string>>) =>
  ask(draftFamily, DraftDocumentRequestSchema, {
    ...{ locale, purpose },
    facts: Object.entries(facts).map(([name, value]) => ({ name, value })),
  });

describe('the draft that ends a contract', () => {
  it.each([
    ['en', 'cancel my gym membership', { membership: 'FitPoint', 'end date': '2027-01-31' }, 'I hereby give notice'],
    ['de', 'Kündigung meines Handyvertrags', { Handyvertrag: '88231', zum: '2027-01-31' }, 'hiermit kündige ich'],
    ['es', 'dar de baja mi contrato de móvil', { línea: 'fija', fin: '2027-01-31' }, 'Por la presente rescindo'],
    ['fr', 'résilier mon forfait mobile', { forfait: '20 Go', 'date de fin': '2027-01-31' }, 'je résilie'],
  ])('speaks as one person of what is theirs (%s)', (locale, purpose, facts, words) => {
    const { draft: made, unusedFields } = draft(locale, purpose, facts);
    expect(made).toMatchObject({ kind: 'notice', openPlaceholders: [], findings: [] });
    expect(made?.body).toContain(words);
    expect(unusedFields).toEqual([]);
  });

  it.each([
    ['Muster Bau GmbH', 'Kündigung meines Mietvertrags'],
    ['Anna und Tom Berg', 'Kündigung meines Mietvertrags'],
    ['Anna Berg', 'Kündigung unseres Mietvertrags'],
  ])('speaks as several where a firm or several sign, or speak of theirs: %s, %s', (sender, purpose) => {
    const { draft: made } = draft('de', purpose, { Absender: sender, Wohnung: 'Lindenweg 4', zum: '2027-02-28' });
    expect(made?.body).toContain('hiermit kündigen wir');
  });

  it.each([
    [
      'de',
      'Kündigung der Wohnung',
      { ab: 'Lindenweg 4' },
      'hiermit kündigen wir folgenden Vertrag zum [[Vertragsende]]: Mietvertrag.',
      'Ab: Lindenweg 4',
    ],
    ['de', 'Kündigung der Wohnung', { Adresse: 'Lindenweg 4' }, 'Vertrag zum [[Vertragsende]]: Lindenweg 4.', ''],
    [
      'en',
      'end our lease',
      { from: '4 Mill Lane' },
      'ending the following contract on [[end date]]: tenancy.',
      'From: 4 Mill Lane',
    ],
    ['es', 'dar de baja el piso', { dirección: 'Calle Mayor 4' }, 'con efectos del [[fecha de fin]] el siguiente', ''],
    [
      'fr',
      'résilier le bail',
      { adresse: '4 rue Haute' },
      'à compter du [[date de fin]] le contrat suivant : 4 rue',
      '',
    ],
  ])('takes no street for a day, and asks for the day (%s, %s, %j)', (locale, purpose, facts, words, line) => {
    const { draft: made, unusedFields } = draft(locale, purpose, facts);
    expect(made?.body).toContain(words);
    expect(made?.body).toContain(line);
    expect(made?.openPlaceholders).toMatchObject([{ field: 'endsOn' }]);
    expect(unusedFields).toEqual([]);
  });

  it.each([
    ['en', '31 March 2027', 'on 31 March 2027'],
    ['de', 'zum nächstmöglichen Termin', 'zum nächstmöglichen Termin'],
    ['es', 'fin de mes', 'fin de mes'],
    ['fr', 'lundi prochain', 'lundi prochain'],
  ])('takes what people write in place of a day (%s)', (locale, ends, words) => {
    const { draft: made } = draft(locale, 'end my contract', { 'end date': ends, contract: '88231' });
    expect(made?.body).toContain(words);
    expect(made?.openPlaceholders).toEqual([]);
  });

  it('has its title, and a notice of a change keeps its own', () => {
    expect(draft('de', 'Kündigung der Wohnung', { Wohnung: 'Lindenweg 4' }).draft?.title).toBe(
      'Kündigung: Lindenweg 4',
    );
    expect(draft('de', 'Ankündigung der Preiserhöhung', { Produkt: 'Tarif M' }).draft?.title).toBe(
      'Mitteilung: Tarif M',
    );
  });

  it('writes a colon as French does', () => {
    expect(
      draft('fr', 'résilier mon forfait', { forfait: '20 Go', 'date de fin': '2027-01-31', option: 'Sud' }).draft?.body,
    ).toContain('- Option : Sud');
  });
});
