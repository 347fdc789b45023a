// What is a telephone number, and whose; and account numbers where money is asked for.
import { describe, expect, it } from 'vitest';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { detect } from '../../src/workflows/text/detect.ts';
import { ask } from './ask.ts';

const check = (text: string) => ask(riskFamily, CheckRiskRequestSchema, { text });

const phones = (text: string) =>
  detect(text)
    .filter(({ kind }) => kind === 'phone')
    .map(({ start, end }) => text.slice(start, end));

describe('telephone numbers', () => {
  it.each([
    'Treffen am 13.11.2024 14:30',
    'Der Termin ist am 13.11.2024 14:30 Uhr.',
    'Meeting 2024-11-13 14:30',
    'Meeting 2024-11-13 14.30',
    'Cita el 13/11/2024 14:30',
    'Rendez-vous le 13/11/2024 14:30',
    'Vom 01.02.2025 bis 03.02.2025 10-12 Uhr',
    'Open 08-12 14-18',
    'Öffnungszeiten: 08.00-12.00 14.00-18.00',
    'Größen 36-37-38-39-40',
    'Sizes 36 37 38 39 40 in stock',
    'Schuhe Gr. 36 38 40 42 44',
    'Tallas 36-38-40-42',
    'Pointures 36/37/38/39/40',
    'ISBN 978-3-16-148410-0',
    'ISBN 978 3 16 148410 0',
    'ISBN-10: 0-306-40615-2',
    'ISBN 3-16-148410-0',
    'Rechnung Nr. 2024-0815-4711',
    'Rechnungsnummer 2024-11-00123',
    'Invoice no. 2024-0815-4711',
    'Invoice 2024 0815 4711',
    'Factura nº 2024-0815-4711',
    'Facture n° 2024-0815-4711',
    'Le budget est de 12 500 000 euros.',
    '12 500 000 euros',
    'Le projet coûte 12 500 000 €.',
    'Presupuesto: 12 500 000 euros',
    'Einwohner: 12 500 000 Menschen',
    'Population 12 500 000',
    '1 250 000 - 1 500 000 euros',
    'Aktenzeichen 123-456-789',
    'Bestellnummer 1234-5678-90',
    'Order number 0012-3456-78',
    'Kundennummer 00 123 456 789',
    'Sendungsnummer 00340 4341 6123 4567',
    'Customer no. 0044 123 456',
    'EAN 4 006381 333931',
    '1990-1995 2001-2005',
    'Numéro de commande 0012-3456-78',
    'Número de pedido 0012-3456-78',
    'Steuernummer 12/345/67890',
    'Teilenummer 06A 905 115 D',
    'OEM 1K0-615-301-AA',
    'Postal code 12345-6789',
    'Maße 120-80-75 cm',
    '120 x 80 x 75',
    'Results: 10-12-14-16',
    'Score 25-23 18-25 25-20',
    'Numéro SIRET 732 829 320 00074',
    'Lottozahlen 03 11 19 24 33 49',
    'Lotto numbers 03 11 19 24 33 49',
    'Kindergrößen 128 134 140 146 152',
  ])('are not: %s', (text) => {
    expect(phones(text)).toEqual([]);
  });

  it.each([
    'Call me on 0171 1234567',
    'Tel. 030 / 12 34 56 78',
    '+49 171 1234567',
    '07700 900123',
    'Call 07700 900 123 for a viewing.',
    'Llámame al 612 345 678',
    'Teléfono: 91 123 45 67',
    'Appelez le 06 12 34 56 78',
    '06.12.34.56.78',
    '(020) 7946 0958',
    '555-123-4567',
    '+1 (555) 123-4567',
    'Mobile 07700-900-123',
    'Ruf an: 0171/1234567',
    '030-12345678',
    'Tel 12 34 56 78',
    'Nummer 0664 123 45 67',
    '+33 6 12 34 56 78',
    'Mi número es 612 34 56 78',
    '01/02/2025 06 12 34 56 78',
    'Order by phone: 0171 1234567',
    'Invoice questions: 07700 900 123',
    'Rechnungsfragen: 0171 1234567',
    'Facture impayée ? Appelez le 06 12 34 56 78',
    'Kundentelefon 0711 123 45 67',
    'Ich komme am 13.11.2024 um 14:30, Tel. 0171 1234567',
    'Ref my number 07700 900 123',
    'Results by phone 07700 900 123',
    '612 345 678 es mi número',
    'Nº de teléfono 612 345 678',
    'Numéro de téléphone 06 12 34 56 78',
    'Rufnummer: 0171-1234567',
  ])('are still found: %s', (text) => {
    expect(phones(text)).toHaveLength(1);
  });

  it('begin after a date', () => {
    expect(phones('01/02/2025 06 12 34 56 78')).toEqual(['06 12 34 56 78']);
  });

  // A firm's number is no person's, and its readers need it; to take it out would be wrong advice.
  it.each([
    'Our hotline 0800 123 45 67 is open on weekdays.',
    'Customer service: 0345 123 4567',
    'Call our shop on 020 7946 0958.',
    'Kundenservice: 0711 123 45 67',
    'Unsere Hotline 0800 1234567 ist werktags erreichbar.',
    'Atención al cliente: 900 123 456',
    'Llame a nuestra tienda: 91 123 45 67',
    'Service client : 09 69 12 34 56',
    'Notre magasin est joignable au 01 23 45 67 89.',
    'Garage Müller, Telefon Werkstatt 030 12 34 56 78',
    'Toll-free: 1-800-555-0199',
    'Rufen Sie unseren Kundendienst an: Tel. 0711 123 45 67',
  ])('of firms identify nobody: %s', (text) => {
    expect(check(text).findings.filter(({ category }) => category === 'personal_data')).toEqual([]);
  });

  it.each([
    'Her mobile is 07700 900 123',
    'Call me on 07700 900 123',
    'Meine Nummer: 0171 1234567',
    'Mi móvil es 612 345 678',
    'Mon portable : 06 12 34 56 78',
    'Mein Handy, falls die Zentrale zu ist: 0171 1234567',
    'My cell if the office is closed: 07700 900 123',
    'Sie ist unter 0171 1234567 zu erreichen.',
    'Mi móvil si la tienda está cerrada: 612 345 678',
    'Mon portable si le magasin est fermé : 06 12 34 56 78',
    'Ring Anna on 020 7946 0958.',
    'Anna 03 12 34 56 78',
    'Paul au 09 12 34 56 78',
    'Ruf Anna an: 0341 1234567',
    'Meine Nummer: 0821 123456',
  ])('of persons count: %s', (text) => {
    expect(check(text).findings.map(({ category }) => category)).toContain('personal_data');
  });
});

describe('an account number', () => {
  const iban = 'GB29 NWBK 6016 1331 9268 19';

  it.each([
    `Send the deposit to ${iban}`,
    `Überweisen Sie die Kaution an ${iban}`,
    `Envíe la fianza a ${iban}`,
    `Versez la caution à ${iban}`,
    `Pay only by transfer to the account ${iban}, outside the platform`,
    `Überweisen Sie das Geld auf mein Konto ${iban}`,
    `Transfiere el dinero a mi cuenta ${iban}`,
    `Virement uniquement sur le compte ${iban}, hors plateforme`,
  ])('is told beside the demand for money: %s', (text) => {
    expect(check(text).findings.filter(({ phrase }) => phrase === iban)).toHaveLength(1);
  });

  it.each([
    `Please pay the deposit for the flat to ${iban}, as in the lease.`,
    `Bitte überweisen Sie die Kaution laut Mietvertrag an ${iban}.`,
    `Ingrese la fianza del piso en ${iban}, según el contrato.`,
    `Merci de verser la caution du logement sur ${iban}, comme prévu au bail.`,
    `The rent is due on the first; transfer it to ${iban}.`,
  ])('is needed where a landlord asks for it: %s', (text) => {
    expect(check(text).findings.filter(({ phrase }) => phrase === iban)).toEqual([]);
  });
});
