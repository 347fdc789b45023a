// Names of facts as software sends them: snake_case, camelCase, abbreviations, compounds, in any of the four languages.
import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { meaningsOf } from '../../src/workflows/packs/draft-names.ts';
import { ask } from './ask.ts';

const draft = (kind: string, locale: string, facts: Readonly<Record<string, string>>, more: object = {}) => {
  const listed = Object.entries(facts).map(([name, value]) => ({ name, value }));
  const request = { purpose: 'see the facts', kind, locale, facts: listed, assist: 'off', ...more };
  const reply = ask(draftFamily, DraftDocumentRequestSchema, request);
  const body = (reply.draft?.body ?? '').replaceAll(/[\u00a0\u202f]/g, ' ');
  return { body, title: reply.draft?.title, unused: reply.unusedFields, findings: reply.draft?.findings };
};

describe('a name of a fact', () => {
  it.each([
    ['customer_name', 'recipient'],
    ['customerName', 'recipient'],
    ['acct_name', 'recipient'],
    ['nombre_cliente', 'recipient'],
    ['empfaenger', 'recipient'],
    ['inv_no', 'invoice'],
    ['nFactura', 'invoice'],
    ['amt_due', 'openAmount'],
    ['importePendiente', 'openAmount'],
    ['montant_remboursement', 'refund'],
    ['due_dt', 'dueDate'],
    ['fec_compra', 'boughtOn'],
    ['anmeldefrist', 'deadline'],
    ['Stellenbezeichnung', 'jobTitle'],
    ['Buchungsnr', 'bookingNumber'],
    ['Nummer der Rechnung', 'invoice'],
    ['Rechnungsnummer', 'invoice'],
    ['numero de la factura', 'invoice'],
    ['dateResiliation', 'endsOn'],
    ['lead_name', 'recipient'],
    ['prenom_nom', 'personName'],
    ['asistente', 'recipient'],
    ['rg_nr', 'invoice'],
    ['num_resa', 'bookingNumber'],
    ['prix_nuit', 'nightPrice'],
    ['hora_fin', 'endTime'],
    ['techniker_termin', 'date'],
    ['Verwendungszweck', 'paymentPurpose'],
    ['austrittsdatum', 'until'],
    ['fecha_recepcion', 'receivedOn'],
    ['desc_probleme', 'problem'],
    ['future_address', 'newAddress'],
    ['expires_on', 'validUntil'],
    ['total_con_iva', 'price'],
    ['total_tax', 'tax'],
    ['fec_vto', 'dueDate'],
    ['imp_pend', 'openAmount'],
    ['acct_mgr', 'manager'],
    ['date_fact', 'invoiceDate'],
    ['auftrNr', 'order'],
    ['zahlungsbed', 'paymentTerms'],
    ['mt_ttc', 'price'],
    ['nº_ppto', 'offerNumber'],
    ['kd_name', 'recipient'],
  ])('%s means %s by the words it is put together from', (name, id) => {
    expect(meaningsOf(name).map((meaning) => meaning.id)).toContain(id);
  });

  it('with a word that nobody knows means nothing', () => {
    expect(meaningsOf('customer zork')).toEqual([]);
    expect(meaningsOf('Donaudampfschiff')).toEqual([]);
    expect(meaningsOf('')).toEqual([]);
    expect(meaningsOf('a '.repeat(64))).toEqual([]);
  });
});

describe('a fact under a name that software gives it', () => {
  it.each([
    [
      ...['payment_reminder', 'en-GB', 'Invoice INV-3307 of 30 September 2026 for £1,420.00, due on 30 October 2026,'],
      { inv_no: 'INV-3307', inv_date: '2026-09-30', amt_due: '1420.00 GBP', due_dt: '2026-10-30' },
    ],
    [
      ...['refund_granted', 'fr', 'Nous vous remboursons 59,90 € pour la lampe Orion (commande CMD-4410).'],
      { num_commande: 'CMD-4410', montant_remboursement: '59.90 EUR', article: 'la lampe Orion' },
    ],
    [...['refund_granted', 'fr', 'Le délai : sous dix jours.'], { virement: 'sous dix jours', montant: '59.90 EUR' }],
    [
      ...['sick_note', 'de', 'krankheitsbedingt kann Paul Rieger vom 23. November 2026 bis 27. November 2026'],
      { mitarbeiter: 'Paul Rieger', krankSeit: '2026-11-23', voraussichtlichBis: '2026-11-27' },
    ],
    [
      ...['complaint', 'es', 'Le rogamos que responda a más tardar el 10 de diciembre de 2026.'],
      { problema: 'la puerta no cierra', plazo_respuesta: '2026-12-10' },
    ],
    [
      ...['apology_for_delay', 'en', 'The reason: our router failed.'],
      { 'what went wrong': 'our router failed', new_eta: '2026-12-03' },
    ],
    [...['apology_for_delay', 'en-GB', 'The new date is 3 December 2026.'], { 'engineer comes': '2026-12-03' }],
  ] as const)('%s (%s): %s', (kind, locale, said, facts) => {
    const { body, unused } = draft(kind, locale, facts);
    expect(body).toContain(said);
    expect(unused).toEqual([]);
  });

  it.each([
    ['confirmation', 'de', { item: 'Termin', case_id: 'V-1' }, 'Vorgangsnummer: V-1.'],
    ['confirmation', 'fr', { item: 'visite', emergency_contact: '112' }, 'En cas d’urgence : 112.'],
    [
      'confirmation',
      'en',
      { item: 'check-up', what_to_bring: 'your insurance card' },
      'Please bring the following with you',
    ],
    [
      'notice',
      'fr',
      { date: '2027-01-11', horaires: 'du lundi au vendredi, de 9 h à 17 h' },
      'Nos horaires : du lundi',
    ],
  ])('%s (%s) has a sentence or a label in the reader’s language: %j', (kind, locale, facts, said) => {
    const { body, unused } = draft(kind, locale, facts);
    expect(body).toContain(said);
    expect(unused).toEqual([]);
  });

  it('is spelt as the reader’s language spells it', () => {
    const { body } = draft(
      '',
      'es',
      { motivo: 'su confianza', valido_hasta: '2027-03-31' },
      { purpose: 'Dar las gracias' },
    );
    expect(body).toContain('Válido hasta: 31 de marzo de 2027.');
  });

  it('that estimates a cost states no price', () => {
    const { body } = draft('confirmation', 'de', { item: 'Reparatur', kostenvoranschlag: '140.00 EUR' });
    expect(body).toContain('Voraussichtliche Kosten: 140,00 €.');
  });

  it('is no lure because it says what to bring', () => {
    const facts = { patient_name: 'Mrs Desai', item: 'check-up', what_to_bring: 'your insurance card' };
    expect(draft('confirmation', 'en', facts, { tone: 'friendly' }).findings).toEqual([]);
  });

  it('is no fee asked in advance because what is refunded is wireless', () => {
    const facts = { refundAmount: '84.50 USD', orderNumber: '1002-77', itemName: 'wireless headphones' };
    expect(draft('refund_granted', 'en', facts).findings).toEqual([]);
  });

  it('gives way to a fact that fits its field better, whatever their order', () => {
    const { body } = draft('offer', 'de', { item: 'Reinigung', net_amount: '890.00 EUR', total_amount: '1059.10 EUR' });
    expect(body).toContain('Der Preis beträgt 1.059,10 €.');
    expect(body).toContain('Nettobetrag: 890,00 €.');
    expect(draft('offer', 'de', { item: 'Reinigung', net_amount: '890.00 EUR' }).body).toContain(
      'Der Preis beträgt 890,00 €.',
    );
  });

  it('that is a rent a month is not called a price', () => {
    const { body } = draft('listing_text', 'es', { property_type: 'piso', monthly_rent: '780.00 EUR' });
    expect(body).toContain('- Alquiler mensual: 780,00 €');
  });
});

describe('a letter whose reader no fact names as such', () => {
  it('is to the person with a title whom the first fact names', () => {
    const { body, unused } = draft('confirmation', 'en', { zork: 'Mr Patel', item: 'check-up' });
    expect(body.startsWith('Dear Mr Patel,')).toBe(true);
    expect(unused).toEqual([]);
  });

  it('is to nobody whom a later fact names, nor to who has no title, nor to a second person', () => {
    expect(draft('confirmation', 'en', { item: 'check-up', zork: 'Mr Patel' }).body).toContain('- Zork: Mr Patel');
    expect(draft('confirmation', 'en', { zork: 'Kona', item: 'check-up' }).body).toContain('- Zork: Kona');
    const { body } = draft('confirmation', 'en', { zork: 'Mr Patel', customer: 'Ms Bell', item: 'check-up' });
    expect(body.startsWith('Dear Ms Bell,')).toBe(true);
    expect(body).toContain('- Zork: Mr Patel');
    expect(draft('complaint', 'en', { zork: 'Mr Patel', problem: 'noise' }).body).toContain('- Zork: Mr Patel');
  });
});

describe('a course', () => {
  it('is no journey: nobody arrives or leaves', () => {
    const facts = { curso: 'inglés', fecha_inicio: '2027-01-11', fecha_fin: '2027-04-30' };
    expect(draft('confirmation', 'es', facts).body).not.toContain('llegada');
  });
});

describe('a letter of no kind', () => {
  it.each([
    [
      'en',
      'Thank a supplier',
      { reason: 'the quick delivery' },
      'Thank you',
      'Thank you very much for the quick delivery.',
    ],
    ['en', 'Thank a supplier', { reason: 'you came at once' }, 'Thank you', 'What we thank you for: you came at once.'],
    ['de', 'Dank an einen Partner', { grund: 'die gute Arbeit' }, 'Vielen Dank', 'Vielen Dank für die gute Arbeit.'],
    ['de', 'Dank an einen Partner', { grund: 'der Einsatz' }, 'Vielen Dank', 'Der Anlass: der Einsatz.'],
    ['es', 'Felicitar a una colega', { motivo: 'sus diez años' }, 'Enhorabuena', 'Le felicitamos por sus diez años.'],
    [
      'fr',
      'Féliciter une salariée',
      { motif: 'vos dix ans ici' },
      'Nos félicitations',
      'Nous vous félicitons pour vos dix ans ici.',
    ],
  ])('(%s) begins as it is meant: %s, %j', (locale, purpose, facts, title, said) => {
    const found = draft('', locale, facts, { purpose });
    expect(found.title).toBe(title);
    expect(found.body.replaceAll('vielen', 'Vielen')).toContain(said);
  });
});

describe('a sentence about a contact', () => {
  it.each([
    ['fr', 'accueil', 'Contact pour toute question : accueil.'],
    ['fr', 'le service client', 'Contact pour toute question : le service client.'],
    ['fr', 'la réception', 'adressez-vous à la réception.'],
    ['fr', 'Mme Roche', 'adressez-vous à Mme Roche.'],
    ['es', 'recepción', 'Contacto para preguntas: recepción.'],
    ['es', 'Sra. Soler', 'Contacto para preguntas: Sra. Soler.'],
    ['es', 'la recepción', 'diríjase a la recepción.'],
    ['de', 'der Empfang', 'Ihr Kontakt bei Fragen: der Empfang.'],
    ['de', 'Herr Kuhn', 'Ihr Kontakt bei Fragen: Herr Kuhn.'],
    ['de', 'Frau Kuhn', 'wenden Sie sich bitte an Frau Kuhn.'],
  ])('(%s) agrees with it: %s', (locale, contact, said) => {
    expect(draft('confirmation', locale, { item: 'x', contact }).body).toContain(said);
  });
});

describe('several readers in Spanish', () => {
  it('are addressed as several throughout', () => {
    const { body } = draft(
      'payment_reminder',
      'es',
      { cliente: 'Talleres Ibáñez, S. L.', nFactura: 'F-1', importe: '760.40 EUR', fechaLimite: '2026-12-05' },
      { tone: 'formal' },
    );
    expect(body).toContain('Estimados señores:');
    expect(body).toContain('Les rogamos que paguen a más tardar');
    expect(body).toContain('Si ya han pagado, no tengan en cuenta');
    expect(body).toContain('Les saluda atentamente,');
    expect(body).not.toMatch(/\b[Ll]e\b/);
  });

  it('are not one reader, nor what a fact says', () => {
    expect(draft('payment_reminder', 'es', { cliente: 'Sra. Luna', importe: '5.00 EUR' }).body).toContain('Le rogamos');
    const { body } = draft('complaint', 'es', { proveedor: 'Electro Ruiz, S. A.', problema: 'nadie le responda' });
    expect(body).toContain('por lo siguiente: nadie le responda.');
  });
});
