import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { ask } from './ask.ts';

const check = (text: string) => ask(riskFamily, CheckRiskRequestSchema, { text });

describe('the number of an account in a text', () => {
  it.each([
    'Our invoice 4711 over 1,190.00 EUR is still open. Please transfer the amount to our account IBAN DE89 3704 0044 0532 0130 00 by 30 November.',
    'Unsere Rechnung 4711 über 1.190,00 EUR ist noch offen. Bitte überweisen Sie den Betrag auf unser Konto IBAN DE89 3704 0044 0532 0130 00.',
    'Nuestra factura 4711 por 1.190,00 EUR sigue pendiente. Le rogamos que transfiera el importe a nuestra cuenta IBAN ES91 2100 0418 4502 0005 1332.',
    'Notre facture 4711 de 1 190,00 EUR reste impayée. Merci de régler par virement sur notre compte IBAN FR14 2004 1010 0505 0001 3M02 606.',
    'Hi Tom, please transfer the rent of 850 EUR to DE89370400440532013000 by the 3rd as always. Thanks, Eva',
    'Die Miete von 850 EUR bitte wie immer bis zum 3. auf DE89 3704 0044 0532 0130 00 überweisen. Danke, Eva Huber',
    'Bonjour, merci de virer le loyer de 850 € avant le 5 sur FR1420041010050500013M02606. Bonne journée, Eva',
    'Hola Tom, transfiere el alquiler de enero (850 €) como siempre a ES9121000418450200051332. Gracias, Eva',
    'hi anna, can you transfer me my half of the pizza? DE89370400440532013000 thx 😊',
    'Hallo Frau Huber, meine IBAN für die Rückzahlung der Kaution: AT611904300234573201. Danke!',
    'Rechnung Nr. 2026-118. Malerarbeiten. Gesamtbetrag 2.380,00 EUR. Bankverbindung: Sparkasse Graz, IBAN AT61 1904 3002 3457 3201.',
  ])('is no finding where the reader has to pay to it: %s', (text) => {
    expect(check(text)).toMatchObject({ riskLevel: 'low', findings: [] });
  });

  it.each([
    'Unsere Bankverbindung hat sich geändert. Bitte überweisen Sie die Rechnung 311 künftig auf IBAN DE89 3704 0044 0532 0130 00.',
    'Invoice 88 has to be paid urgently to our account IBAN DE89 3704 0044 0532 0130 00.',
    'Die Kaution bitte vor der Besichtigung auf DE89 3704 0044 0532 0130 00 überweisen.',
    'The rent has to be paid to my new account DE89 3704 0044 0532 0130 00.',
    'My colleague Anna Berg has the IBAN DE89 3704 0044 0532 0130 00, and earns 3,200.',
  ])('is a finding where it replaces another, presses, or is of somebody else: %s', (text) => {
    expect(check(text).riskLevel).not.toBe('low');
  });

  it('does not hold up the draft of a reminder', () => {
    const { draft } = ask(draftFamily, DraftDocumentRequestSchema, {
      purpose: 'remind of the open invoice',
      kind: 'payment_reminder',
      locale: 'de',
      facts: [
        { name: 'invoice', value: '4711' },
        { name: 'amount', value: '1190.00 EUR' },
        { name: 'IBAN', value: 'DE89 3704 0044 0532 0130 00' },
      ],
    });
    expect(draft?.body).toContain('DE89 3704 0044 0532 0130 00');
    expect(draft?.findings).toEqual([]);
  });
});
