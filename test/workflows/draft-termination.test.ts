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
    ['Anna Berg', 'Kündigung des Mietvertrags'],
  ])('speaks as several where a firm or several sign, or nothing says who: %s, %s', (sender, purpose) => {
    const { draft: made } = draft('de', purpose, { Absender: sender, Wohnung: 'Lindenweg 4', zum: '2027-02-28' });
    expect(made?.body).toContain('hiermit kündigen wir');
  });

  it('writes a colon as French does', () => {
    expect(
      draft('fr', 'résilier mon forfait', { forfait: '20 Go', 'date de fin': '2027-01-31', option: 'Sud' }).draft?.body,
    ).toContain('- Option : Sud');
  });
});
