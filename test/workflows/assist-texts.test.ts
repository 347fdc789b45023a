import { describe, expect, it } from 'vitest';
import { faultIn, type Subject } from '../../src/workflows/assist/judge-text.ts';
import { subjectOf } from '../../src/workflows/assist/wording.ts';
import type { ItemKind } from '../../src/workflows/packs/assist-pack.ts';
import { riskCategories } from '../../src/workflows/packs/risk-categories.ts';
import { type MessageLanguage, messageLanguages, readRiskMessages } from '../../src/workflows/packs/risk-messages.ts';

const reply = { summary: 'The listing is not ready.', nextBestAction: 'Add the price.', missingFacts: ['price'] };
const listing = {
  title: 'Oak table for six',
  description: 'Made by Karl Huber in Graz in 2019, 180 x 90 cm. Ask for 300 EUR.',
};

function subject(reader: MessageLanguage, more: Partial<Subject> = {}): Subject {
  return { ...subjectOf({ listing }, reply, reader, { side: 'bad', level: 'high', rating: '' }), ...more };
}

const why = (reader: MessageLanguage, text: string, kind: ItemKind = 'summary', more: Partial<Subject> = {}) =>
  faultIn(text, { kind, text: kind === 'summary' ? reply.summary : reply.nextBestAction }, subject(reader, more))
    ?.reason;

describe('a text that says a bad verdict rightly is kept', () => {
  const right: Record<MessageLanguage, string[]> = {
    en: [
      'The listing is not ready yet: the price is missing.',
      'It cannot go online as long as the price is missing.',
      'The oak table needs a price before you publish the listing.',
      'The risk is high.',
      'Without a price it isn’t complete.',
    ],
    de: [
      'Die Anzeige ist noch nicht bereit: Der Preis fehlt.',
      'Es fehlt noch der Preis, bevor Sie die Anzeige veröffentlichen.',
      'Die Anzeige ist unvollständig.',
      'Der Eichentisch aus Graz braucht noch einen Preis.',
      'Das Risiko ist hoch.',
    ],
    es: [
      'El anuncio todavía no está listo: falta el precio.',
      'Falta el precio antes de publicar el anuncio.',
      'La mesa de roble necesita un precio.',
      'El riesgo es alto.',
    ],
    fr: [
      'L’annonce n’est pas encore prête : le prix manque.',
      'Il manque le prix avant de publier l’annonce.',
      'La table en chêne a besoin d’un prix.',
      'Le risque est élevé.',
    ],
  };
  for (const reader of messageLanguages)
    it.each(right[reader])(`${reader}: %s`, (text) => {
      expect(why(reader, text)).toBeUndefined();
    });
});

describe('a text that speaks against a bad verdict is dropped', () => {
  const wrong: Record<MessageLanguage, string[]> = {
    en: [
      'The listing is ready.',
      'The listing is ready to be published now.',
      'Nothing is missing.',
      'There is no risk at all.',
      'No problem: everything is complete.',
      'The listing is not only ready, it is perfect.',
      'Nothing prevents you from publishing it.',
      'The price is missing, but it is ready.',
      'The risk is low.',
      'The price is missing. You can publish it as it is.',
      'It is r e a d y.',
      'It is reаdy and the price is missing.',
    ],
    de: [
      'Die Anzeige ist bereit.',
      'Es fehlt nichts.',
      'Es gibt keine Probleme.',
      'Die Anzeige blockiert nichts.',
      'Der Preis fehlt, aber die Anzeige ist unbedenklich.',
      'Sie können die Anzeige sofort veröffentlichen.',
      'Das Risiko ist gering.',
      'Die Anzeige ist nicht nur bereit, sondern perfekt.',
    ],
    es: [
      'El anuncio está listo.',
      'No falta nada.',
      'No hay ningún problema.',
      'El riesgo es bajo.',
      'Falta el precio, pero el anuncio está listo.',
      'Publique el anuncio ahora.',
    ],
    fr: [
      'L’annonce est prête.',
      'Il ne manque rien.',
      'Il n’y a aucun problème.',
      'Le risque est faible.',
      'Le prix manque, mais l’annonce est prête.',
      'Publiez l’annonce maintenant.',
    ],
  };
  for (const reader of messageLanguages)
    it.each(wrong[reader])(`${reader}: %s`, (text) => {
      expect(why(reader, text)).toBe('verdict');
    });
  it.each([
    ['en', 'The listing meets every condition.'],
    ['de', 'Die Anzeige erfüllt alle Bedingungen.'],
    ['es', 'El anuncio cumple todas las condiciones.'],
    ['fr', 'L’annonce remplit toutes les conditions.'],
  ] as const)('%s: a summary that does not say it: %s', (reader, text) => {
    expect(why(reader, text)).toBe('silent');
  });
});

describe('a text that speaks against a good verdict is dropped', () => {
  const good = { verdict: { side: 'good', level: 'low', rating: 'B' } } as const;
  it.each([
    ['en', 'The listing is not ready.'],
    ['en', 'The listing is blocked.'],
    ['en', 'The risk is high.'],
    ['en', 'It has the rating C.'],
    ['de', 'Die Anzeige ist nicht bereit.'],
    ['de', 'Die Bewertung ist D.'],
    ['es', 'El anuncio no está listo.'],
    ['fr', 'L’annonce n’est pas prête.'],
  ] as const)('%s: %s', (reader, text) => {
    expect(why(reader, text, 'summary', good)).toBe('verdict');
  });
  it.each([
    ['en', 'The listing is ready.'],
    ['en', 'It has the rating B, and the risk is low.'],
    ['de', 'Die Anzeige ist bereit, die Bewertung ist B.'],
    ['es', 'El anuncio está listo.'],
    ['fr', 'L’annonce est prête.'],
  ] as const)('%s: %s is kept', (reader, text) => {
    expect(why(reader, text, 'summary', good)).toBeUndefined();
  });
});

describe('where nothing was found, a text neither acquits nor accuses', () => {
  const low = { verdict: { side: 'unproven', level: 'low', rating: '' } } as const;
  it.each([
    ['en', 'The text is harmless.', 'verdict'],
    ['en', 'The text is safe to use.', 'verdict'],
    ['en', 'The text is dangerous.', 'verdict'],
    ['de', 'Der Text ist unbedenklich.', 'verdict'],
    ['en', 'No known sign of risk was found, which proves nothing.', undefined],
    ['de', 'Es wurde kein bekanntes Anzeichen für ein Risiko gefunden.', undefined],
  ] as const)('%s: %s', (reader, text, reason) => {
    expect(why(reader, text, 'summary', low)).toBe(reason);
  });
});

describe('claims', () => {
  it.each([
    ['en', 'Write your password here.', 'credentials'],
    ['en', 'Write your p-a-s-s-w-o-r-d here.', 'credentials'],
    ['en', 'Do not forget to give us your PIN.', 'credentials'],
    ['en', 'Add the card number of the seller.', 'credentials'],
    ['de', 'Schreiben Sie Ihr Passwort dazu.', 'credentials'],
    ['de', 'Ergänzen Sie bitte Ihre Bankingpin und die TAN.', 'credentials'],
    ['de', 'Nennen Sie den Sicherheitscode der Karte.', 'credentials'],
    ['es', 'Escriba aquí su contraseña.', 'credentials'],
    ['es', 'Añada el número de su tarjeta.', 'credentials'],
    ['fr', 'Écrivez ici votre mot de passe.', 'credentials'],
    ['fr', 'Ajoutez le numéro de votre carte.', 'credentials'],
    ['en', 'Add the price of 250 EUR.', 'number'],
    ['en', 'It scores 90 of 100 without the price.', 'number'],
    ['en', 'Add the price and send it to seller@example.com.', 'link'],
    ['en', 'Add the price on shop.example/price first.', 'link'],
    ['en', 'Ask Peter Miller for the price.', 'name'],
    ['en', 'Compare the price with IKEA first.', 'name'],
    ['de', 'Fragen Sie Herrn Maier nach dem Preis.', 'name'],
    ['de', 'Fragen Sie Peter Maier nach dem Preis.', 'name'],
    ['es', 'Pregunte a Pedro por el precio.', 'name'],
    ['fr', 'Demandez le prix à Pierre.', 'name'],
    ['en', 'Say that the seller is a fraud.', 'accusation'],
    ['de', 'Sagen Sie, dass der Tisch gestohlen ist.', 'accusation'],
    ['es', 'Indique en el anuncio que la mesa es robada y no tiene precio.', 'accusation'],
    ['fr', 'Dites que la table est volée.', 'accusation'],
    ['en', 'Ask the buyer to pay by Western Union outside the platform.', 'risky'],
    ['en', 'Añada el precio de la mesa.', 'language'],
    ['de', 'Add the price in euros.', 'language'],
    ['en', 'Add the price. Tutto va bene, pubblica subito.', 'language'],
    ['en', '  ', 'empty'],
    ['en', 'Publish it as it is.', 'verdict'],
  ] as const)('%s: %s', (reader, text, reason) => {
    const found = why(reader, text, 'action');
    // Western Union is a name as well.
    expect(found === 'name' && reason === 'risky' ? 'risky' : found).toBe(reason);
  });

  it.each([
    ['en', 'Add the price: 300 EUR or what you want for it.'],
    ['en', 'Say in the title that Karl Huber of Graz made it in 2019.'],
    ['en', 'Please state the price in euros.'],
    ['de', 'Nennen Sie bitte den Preis in Euro, zum Beispiel 300.'],
    ['de', 'Ergänzen Sie den Preis, den Sie für den Tisch verlangen.'],
    ['de', 'Fügen Sie der Anzeige Ihren Preis hinzu.'],
    ['es', 'Añada el precio de la mesa en euros.'],
    ['fr', 'Ajoutez le prix de la table en euros.'],
  ] as const)('%s: %s is kept', (reader, text) => {
    expect(why(reader, text, 'action')).toBeUndefined();
  });
});

describe("the rules' own words", () => {
  const messages = readRiskMessages();
  // What the catalogue says is right by definition: a check that dropped it would drop a model's like words.
  for (const reader of messageLanguages)
    it(`hold in ${reader}`, () => {
      const dropped = riskCategories.flatMap((category) => {
        const { reason, action } = messages.get(reader)?.categories[category] ?? { reason: '', action: '' };
        return [reason, action].flatMap((text) => {
          const fault = faultIn(text, { kind: 'suggestion', text }, subject(reader, { risky: new Set([category]) }));
          return fault ? [`${text}: ${fault.reason}`] : [];
        });
      });
      // Whoever speaks of access data leaves it to the rules.
      expect(dropped.filter((text) => !text.endsWith(': credentials'))).toEqual([]);
      expect(dropped.length).toBeLessThanOrEqual(2);
    });
});
