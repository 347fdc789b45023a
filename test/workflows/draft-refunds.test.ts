// Who asks for money back does not grant it.
import { expect, it } from 'vitest';
import { kindOfPurpose } from '../../src/workflows/families/draft-purpose.ts';

it.each([
  ['ask a shop for a refund', ''],
  ['demand my money back from the airline', ''],
  ['grant a refund to a customer', 'refund_granted'],
  ['reply to a customer who wants a refund', 'refund_granted'],
  ['decline a refund', 'refund_refused'],
  ['Erstattung vom Onlineshop verlangen', ''],
  ['mein Geld zurückfordern', ''],
  ['Kunden das Geld zurückzahlen', 'refund_granted'],
  ['pedir el reembolso a una tienda', ''],
  ['solicitar la devolución del dinero a la aerolínea', ''],
  ['reembolsar a un cliente', 'refund_granted'],
  ['demander un remboursement à un site de vente', ''],
  ['rembourser un client', 'refund_granted'],
  ['refuser un remboursement', 'refund_refused'],
  ['avis de fermeture pour travaux', 'notice'],
])('%s: %s', (purpose, kind) => {
  expect(kindOfPurpose(purpose, []).id).toBe(kind);
});

it('an opinion of a customer is no notice', () => {
  expect(kindOfPurpose("répondre à un avis négatif d'un client", []).id).not.toBe('notice');
});
