// Facts under the names that companies give them, in sentences that can be sent.
import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { ask } from './ask.ts';

const draft = (kind: string, locale: string, facts: Readonly<Record<string, string>>, more: object = {}) => {
  const listed = Object.entries(facts).map(([name, value]) => ({ name, value }));
  const reply = ask(draftFamily, DraftDocumentRequestSchema, {
    purpose: 'see the facts',
    kind,
    locale,
    facts: listed,
    ...more,
  });
  const body = (reply.draft?.body ?? '').replaceAll(/[\u00a0\u202f]/g, ' ');
  return { body, kind: reply.draft?.kind, unused: reply.unusedFields };
};

describe('the reader of a draft', () => {
  it.each([
    ['refund_granted', 'en', { 'customer name': 'Mr Okafor', amount: '49.90 GBP' }, 'Dear Mr Okafor,'],
    ['', 'en', { donor: 'Mr and Mrs Hale', donation: '500.00 GBP' }, 'Dear Mr and Mrs Hale,'],
    ['confirmation', 'es', { nombre: 'Sr. Ibarra', reserva: 'mesa para seis' }, 'Buenos días, Sr. Ibarra:'],
    ['invitation', 'es', { invitado: 'Sra. Vidal', evento: 'cena', fecha: '2027-01-22' }, 'Buenos días, Sra. Vidal:'],
    ['confirmation', 'fr', { participante: 'Mme Roy', formation: 'Excel' }, 'Bonjour Mme Roy,'],
    ['', 'es', { empleado: 'Ramón Gil', regalo: 'un libro' }, 'Buenos días, Ramón Gil:'],
    ['invitation', 'de', { Gäste: 'liebe Kolleginnen', Anlass: 'Fest', Datum: '2026-12-18' }, 'Liebe Kolleginnen,'],
    ['internal_memo', 'fr', { à: 'tout le personnel', objet: 'badge' }, 'À : tout le personnel'],
  ])('%s (%s) is who a fact names: %j', (kind, locale, facts, said) => {
    const { body, unused } = draft(kind, locale, facts);
    expect(body.startsWith(`${said}\n`)).toBe(true);
    if (kind !== '') expect(unused).toEqual([]);
  });

  it('is no name of somebody else', () => {
    expect(draft('sick_note', 'es', { nombre: 'Lucas', desde: '2026-11-30' }).body).not.toContain('Buenos días, Lucas');
    expect(draft('confirmation', 'es', { nombre: '6', reserva: 'mesa' }).body).toContain('La cantidad: 6.');
  });

  it.each([
    ['en', 'All tenants of Elm Court', 'To all tenants of Elm Court,\n'],
    ['en', 'Parents of class 4', 'Dear Parents of class 4,\n'],
    ['es', 'clientes de la tienda', 'clientes de la tienda\n\nBuenos días:\n'],
    ['fr', 'Parents des élèves', 'Parents des élèves\n\nBonjour,\n'],
  ])('may be a group (%s): %s', (locale, audience, said) => {
    expect(draft('notice', locale, { date: '2026-12-08' }, { audience }).body.startsWith(said)).toBe(true);
  });

  it('is addressed formally in French by the title alone, under the name', () => {
    const write = (recipient: string) =>
      draft('offer', 'fr', { recipient, item: 'a', price: '1' }, { tone: 'formal' }).body;
    expect(write('Mme Girard').startsWith('Mme Girard\n\nMadame,\n')).toBe(true);
    expect(write('Monsieur Faure').startsWith('Monsieur Faure\n\nMonsieur,\n')).toBe(true);
  });

  it('is the tenant where the landlord ends a lease, and the landlord where the tenant does', () => {
    const end = (tenant: string) =>
      draft('notice', 'de', { Mieter: tenant, Wohnung: 'Lindenweg 4' }, { purpose: 'Mietvertrag kündigen' }).body;
    expect(end('Herr Haddad')).toContain('Guten Tag Herr Haddad,');
    expect(end('Karim Haddad').endsWith('Karim Haddad')).toBe(true);
  });
});

describe('a fact of a draft', () => {
  it.each([
    ['refund_refused', 'en', { order: '1', 'reason for refusal': 'it was worn' }, 'The reason: it was worn.'],
    ['refund_refused', 'fr', { commande: '1', 'ce que nous proposons': 'un avoir' }, 'à la place : un avoir.'],
    ['refund_granted', 'en', { amount: '5.00 GBP', 'refund method': 'your card' }, 'The money goes to your card.'],
    ['refund_granted', 'de', { Betrag: '5.00 EUR', Gutschrift: 'auf das Konto' }, 'folgendem Weg aus: auf das Konto.'],
    [
      'complaint',
      'en',
      { 'purchase order': 'PO-1', problem: 'broken', 'we want': 'new ones', from: 'L. Marsh' },
      'The order number is PO-1.',
    ],
    [
      'complaint',
      'en',
      { problem: 'broken', 'we want': 'new ones by 15 December' },
      'We ask for the following: new ones by 15 December.',
    ],
    ['complaint', 'en', { problem: 'broken', from: 'L. Marsh, Cobalt' }, 'Kind regards\nL. Marsh, Cobalt'],
    [
      'complaint',
      'de',
      { Mangel: 'nass', Forderung: 'Ersatz bis 5. Dezember' },
      'Wir bitten um Folgendes: Ersatz bis 5. Dezember.',
    ],
    ['complaint', 'de', { Mangel: 'nass', Lieferschein: 'LS 8801' }, 'Lieferschein: LS 8801.'],
    ['complaint', 'es', { problema: 'roto', 'número de cliente': '44' }, 'Número de cliente: 44.'],
    ['complaint', 'fr', { problème: 'cassé', référence: '44' }, 'Référence : 44.'],
    ['confirmation', 'en', { appointment: '2026-12-03', time: '9:40 am' }, 'The date is December 3, 2026, 9:40 am.'],
    ['notice', 'en', { date: '2026-12-08', time: '8 am to 1 pm' }, 'The date is December 8, 2026, 8 am to 1 pm.'],
    [
      'notice',
      'de',
      { Datum: '2026-12-09', Uhrzeit: '10 bis 12 Uhr' },
      'Der Termin ist am 9. Dezember 2026, 10 bis 12 Uhr.',
    ],
    [
      'notice',
      'en',
      { 'closed from': '2026-12-24', until: '2027-01-06' },
      'We are closed from December 24, 2026 to January 6, 2027.',
    ],
    [
      'notice',
      'es',
      { 'cerrado desde': '2026-12-24', hasta: '2027-01-06' },
      'Permaneceremos cerrados del 24 de diciembre de 2026 al 6 de enero de 2027.',
    ],
    [
      'notice',
      'fr',
      { 'fermé à partir du': '2026-12-24', 'jusqu’au': '2027-01-06' },
      'Nous serons fermés du 24 décembre 2026 au 6 janvier 2027.',
    ],
    ['internal_memo', 'de', { Thema: 'Reisen', 'gültig ab': '2027-01-01' }, 'Dies gilt ab 1. Januar 2027.'],
    ['listing_text', 'en', { title: 'Sofa', age: 'two years' }, 'On offer: Sofa. Age: two years.'],
    ['meeting_summary', 'fr', { date: '2026-11-25', 'ordre du jour': 'budget' }, 'Ordre du jour : budget'],
    [
      'rejection',
      'fr',
      { poste: 'comptable', 'entretien du': '2026-11-17' },
      'Notre entretien a eu lieu le 17 novembre 2026.',
    ],
  ])('%s (%s) has a sentence: %j', (kind, locale, facts, said) => {
    const { body, unused } = draft(kind, locale, facts as unknown as Record<string, string>);
    expect(body).toContain(said);
    expect(unused).toEqual([]);
  });

  it.each([
    ['fr', 'lampe de bureau', "votre commande 3. Il s'agit de ceci : lampe de bureau."],
    ['fr', 'la lampe', 'pour la lampe (commande 3).'],
    ['es', 'aspiradora', 'por su pedido 3. Se trata de lo siguiente: aspiradora.'],
    ['es', 'dos sillas', 'por dos sillas (pedido 3).'],
  ])('that has no article stands after a colon (%s): %s', (locale, item, said) => {
    expect(draft('refund_granted', locale, { order: '3', amount: '5.00 EUR', item }).body).toContain(said);
  });

  it('that is a request is one sentence, and not asked for twice', () => {
    const asked = 'Bitte schalten Sie Geräte vorher aus';
    expect(draft('notice', 'de', { Datum: '2026-12-09', 'Was zu tun ist': asked }).body).toContain(
      `\n\n${asked}. Bei Fragen`,
    );
    expect(draft('', 'de', { Bitte: asked, Frist: '2026-12-09' }).body).toContain(
      `${asked.slice(1)}. Bitte antworten Sie bis`,
    );
  });

  it('of a report that has no field comes last', () => {
    const { body } = draft('meeting_summary', 'en', {
      date: '2026-11-24',
      weather: 'rain',
      decisions: 'go',
      tasks: 'pack',
    });
    expect(body.endsWith('Tasks:\n- pack\n\nFurther details:\n- Weather: rain')).toBe(true);
  });

  it.each([
    [
      'invitation',
      'en',
      { 'guest name': 'Dr Rao', event: 'launch', when: '2027-02-04', 'doors open': '6 pm' },
      'Dear Dr Rao,',
    ],
    [
      'payment_reminder',
      'de',
      { 'Name des Kunden': 'Herr Vogt', 'Nummer der Rechnung': 'R-7', Betrag: '5.00 EUR' },
      'die Rechnung R-7 über 5,00 €',
    ],
    [
      'refund_granted',
      'fr',
      { 'nom du locataire': 'M. Bernard', 'montant remboursé': '750.00 EUR' },
      'Bonjour M. Bernard,',
    ],
    [
      'complaint',
      'es',
      { 'lo que ha pasado': 'Faltan planchas', exigimos: 'seis planchas' },
      'por lo siguiente: Faltan planchas.',
    ],
    [
      'offer',
      'es',
      { servicio: 'limpieza', cuota: '180 € al mes', 'empezamos el': '2027-01-11' },
      'El inicio: 11 de enero de 2027.',
    ],
  ])('%s (%s) is known in other words: %j', (kind, locale, facts, said) => {
    const { body, unused } = draft(kind, locale, facts as unknown as Record<string, string>);
    expect(body).toContain(said);
    expect(unused).toEqual([]);
  });

  it('that is a number of somebody names nobody', () => {
    const { body } = draft('offer', 'de', { 'Nummer des Kunden': 'K-4711', Leistung: 'a', Preis: '1' });
    expect(body).toContain('Kundennummer: K-4711.');
    expect(body.startsWith('Guten Tag,')).toBe(true);
  });

  it.each([
    ['refund_granted', 'en', { sum: '', Paid: '5.00 GBP' }, 'Hello,\n\nWe refund [[sum]]'],
    [
      'refund_granted',
      'fr',
      { versement: '750.00 EUR' },
      'Bonjour,\n\nNous vous accordons le remboursement.\n\nAutres précisions :',
    ],
    [
      'complaint',
      'de',
      { Vorfall: 'Acht Kartons waren nass' },
      'Guten Tag,\n\nwir reichen eine Reklamation ein.\n\nWeitere Angaben:',
    ],
  ])('%s (%s) that has no sentence follows one that says what the letter is about', (kind, locale, facts, said) => {
    expect(draft(kind, locale, facts as unknown as Record<string, string>).body.startsWith(said)).toBe(true);
  });

  it('keeps "from" and "to" of a journey, and of a lease that ends, in lines', () => {
    expect(draft('confirmation', 'en', { item: 'flight', from: 'Lyon', to: 'Oslo' }).body).toContain(
      '- From: Lyon\n- To: Oslo',
    );
  });
});

it('goods asked for before a day are no fee before they come', () => {
  const listed = [{ name: 'exigimos', value: 'la entrega de las planchas que faltan antes del 10 de diciembre' }];
  const facts = [{ name: 'problema', value: 'faltan planchas' }, ...listed];
  const asked = { purpose: 'reclamar', kind: 'complaint', locale: 'es', facts };
  expect(ask(draftFamily, DraftDocumentRequestSchema, asked).draft?.findings).toEqual([]);
});

it('a notice on a wall is for who lives there, a memo for who works there', () => {
  const kindOf = (purpose: string) => draft('', 'de', {}, { purpose }).kind;
  expect(kindOf('Aushang über Stromabschaltung im Treppenhaus')).toBe('notice');
  expect(kindOf('Aushang für die Belegschaft')).toBe('internal_memo');
  expect(kindOf('Kunde soll die Rechnung endlich bezahlen')).toBe('payment_reminder');
});
