// Letters of no kind, by what they are for: what they say first, and that no kind is heard instead.
import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { ask } from './ask.ts';

const draft = (locale: string, purpose: string, facts: Record<string, string> = {}) =>
  ask(draftFamily, DraftDocumentRequestSchema, {
    ...{ locale, purpose },
    facts: Object.entries(facts).map(([name, value]) => ({ name, value })),
  }).draft;

describe('a letter of no kind', () => {
  it.each([
    ['en', 'Reply to a complaint about a noisy room', { complaint: 'noise' }, 'message about the following: noise.'],
    [
      'en',
      'Apologise to a guest for the cold breakfast',
      { problem: 'cold breakfast' },
      'We apologise for the following',
    ],
    ['en', 'Ask the applicant for the missing documents', { missing_docs: 'two payslips' }, 'We need the following'],
    ['en', 'Remind a patient of her appointment', { date: '2026-12-04' }, 'We remind you of your appointment.'],
    ['en', 'Arrange the repair of the boiler', { work: 'repair of the boiler' }, 'We have planned the following work'],
    ['en', 'Cancel my order', { order_number: 'A-1', sender: 'Tom Reed' }, 'I hereby cancel my order A-1.'],
    ['en', 'Ask the printer for a quote', { product: '500 flyers' }, 'Please send us a quote for the following'],
    [
      'en',
      'Object to the rent increase',
      { new_rent: '900.00 GBP' },
      'We do not agree to the increase of the rent to £900',
    ],
    ['de', 'Antwort auf eine Beschwerde', { beschwerde: 'Lärm' }, 'Es geht um Folgendes: Lärm.'],
    [
      'de',
      'Fehlende Unterlagen anfordern',
      { fehlende_unterlagen: 'Meldebescheinigung' },
      'Folgendes: Meldebescheinigung',
    ],
    ['de', 'Unsere Bestellung stornieren', { bestellnummer: 'B-1' }, 'stornieren wir unsere Bestellung B-1.'],
    ['de', 'Der Mieterhöhung widersprechen', { neue_miete: '900.00 EUR' }, 'auf 900,00\u00a0€ stimmen wir nicht zu.'],
    ['es', 'Responder a la queja de un cliente', { problema: 'ruido' }, 'su mensaje sobre lo siguiente: ruido.'],
    ['es', 'Pedir la documentación que falta', { documentos_faltantes: 'la nómina' }, 'envíe lo siguiente: la nómina.'],
    ['es', 'Cancelar nuestra reserva', { numero_reserva: 'R-1' }, 'cancelamos nuestra reserva R-1.'],
    ['fr', 'Répondre à la réclamation d’un client', { probleme: 'bruit' }, 'votre message concernant ceci : bruit.'],
    ['fr', 'Demander les pièces manquantes', { pieces_manquantes: 'le bail' }, 'éléments suivants : le bail.'],
    ['fr', 'Annuler notre réservation', { numero_reservation: 'R-1' }, 'nous annulons notre réservation R-1.'],
  ])('says in its first sentence what it is for (%s, %s)', (locale, purpose, facts, sentence) => {
    const made = draft(locale, purpose, facts as unknown as Record<string, string>);
    expect(made?.kind).toBe('');
    expect(made?.body).toContain(sentence);
  });

  it.each([
    ['en', 'Ask for the missing documents', 'documents needed'],
    ['de', 'Fehlende Unterlagen anfordern', 'benötigte Unterlagen'],
    ['es', 'Pedir la documentación que falta', 'documentos necesarios'],
    ['fr', 'Demander les pièces manquantes', 'pièces à fournir'],
  ])('asks for what it cannot do without (%s, %s)', (locale, purpose, name) => {
    expect(draft(locale, purpose, { deadline: '2026-12-04' })?.placeholders).toEqual([name]);
  });

  it.each([
    ['Complain to the supplier and ask for an answer', 'complaint'],
    ['Apologise for the late delivery', 'apology_for_delay'],
    ['Beschwerde beim Lieferanten', 'complaint'],
    ['Entschuldigung für die verspätete Lieferung', 'apology_for_delay'],
    ['Confirm that we received the documents', 'confirmation'],
    ['Cancel our phone contract', 'notice'],
    ['Inform the tenants of the rent increase', 'notice'],
    ['Reminder for an unpaid invoice', 'payment_reminder'],
    ['Écrire une réclamation au fournisseur', 'complaint'],
    ['Presentar una reclamación al proveedor', 'complaint'],
  ])('is none where its purpose asks for a kind: %s', (purpose, kind) => {
    expect(draft('', purpose)?.kind).toBe(kind);
  });

  it('that apologises is about a delay where a fact gives a new date', () => {
    expect(draft('en', 'Apologise to the customer', { 'new delivery date': '2026-12-04' })?.kind).toBe(
      'apology_for_delay',
    );
  });
});

describe('the names of facts', () => {
  it.each([
    [
      'en',
      'Reply about the warranty claim, which was turned down',
      { machine: 'Barista' },
      'for the following: Barista.',
    ],
    ['de', 'Terminerinnerung', { behandlung: 'Zahnreinigung' }, 'Ihren Termin: Zahnreinigung.'],
    ['de', 'Erstattung', { Betrag: '640.00 EUR', Buchung: 'R-9081' }, 'Buchungsnummer: R-9081.'],
    ['es', 'Presupuesto', { servicio: 'pintura', precio: '90.00 EUR', plazo: '5 días' }, 'La duración: 5 días.'],
    ['es', 'Dar de baja el gimnasio', { gimnasio: 'Titán', socio: '4471' }, 'Número de socio: 4471.'],
    ['fr', 'Confirmer', { objet: 'visite', creneau_horaire: 'entre 8 h et 10 h' }, "L'heure : entre 8 h et 10 h."],
    ['fr', 'Bon de livraison', { numBL: 'BL-7', articles: 'farine', nbColis: '16' }, 'Nombre de colis : 16.'],
    ['de', 'Absage an Bewerber', { stelle: 'Koch', bewerbung_vom: '2026-11-03' }, 'Ihrer Bewerbung: 3. November 2026.'],
    [
      'es',
      'Confirmar la cita',
      { vehiculo: 'Seat León', servicio: 'revisión' },
      'Le confirmamos lo siguiente: revisión.',
    ],
    ['fr', 'Réponse à une réclamation', { reclamation: 'bruit' }, 'concernant ceci : bruit.'],
    [
      'de',
      'Absage eines Angebots',
      { grund: 'Preis', angebot_vom: '2026-11-10' },
      'Datum des Angebots: 10. November 2026.',
    ],
    [
      'fr',
      'Rappel du loyer',
      { loyer_du: '540.00 EUR', date_echeance: '2026-11-05' },
      'à échéance du 5 novembre 2026, reste',
    ],
    ['es', 'Contestar a una queja', { motivo_queja: 'la espera' }, 'mensaje sobre lo siguiente: la espera.'],
    [
      'es',
      'Pedir la documentación',
      { empresa: 'Obras S.L.', documentos: 'la póliza' },
      'nos envíen lo siguiente: la póliza.',
    ],
    ['fr', 'Annuler ma commande', { vendeur: 'Meubles Lacroix', nom: 'Julien Faure' }, 'Cordialement,\nJulien Faure'],
  ])('lead to their sentences (%s, %s)', (locale, purpose, facts, sentence) => {
    expect(draft(locale, purpose, facts as unknown as Record<string, string>)?.body).toContain(sentence);
  });
});

describe('a notice that ends a contract', () => {
  it.each([
    ['es', 'Comunicar al casero que dejo el piso', { ultimo_dia: '2027-01-31' }, 'efectos del 31 de enero de 2027 el'],
    ['fr', 'Prévenir la propriétaire que je quitte le logement', { fin: '2027-01-31' }, 'suivant : bail.'],
  ])('is one of whoever leaves a flat (%s, %s)', (locale, purpose, facts, sentence) => {
    expect(draft(locale, purpose, facts as unknown as Record<string, string>)?.body).toContain(sentence);
  });

  it.each([
    [
      'en',
      'Cancel my gym membership',
      { 'end date': '2027-01-31' },
      'the following contract on January 31, 2027: membership.',
    ],
    ['de', 'Handyvertrag kündigen', { Kündigungstermin: '2027-01-31' }, 'zum 31. Januar 2027: Mobilfunkvertrag.'],
    ['es', 'Dar de baja el seguro', { 'fecha de baja': '2027-01-31' }, 'el siguiente contrato: seguro.'],
    [
      'fr',
      'Résilier mon abonnement internet',
      { 'date de résiliation': '2027-01-31' },
      'suivant : abonnement internet.',
    ],
    ['en', 'Give notice', { 'end date': '2027-01-31' }, 'ending the contract on January 31, 2027.'],
  ])('says which (%s, %s)', (locale, purpose, facts, sentence) => {
    const made = draft(locale, purpose, facts as unknown as Record<string, string>);
    expect(made?.kind).toBe('notice');
    expect(made?.body).toContain(sentence);
  });

  it('keeps the contract that a fact names', () => {
    const body = draft('en', 'Cancel my gym membership', { contract: 'Gold plan', 'end date': '2027-01-31' })?.body;
    expect(body).toContain('on January 31, 2027: Gold plan.');
    expect(body).not.toContain('membership');
  });
});

describe('who writes', () => {
  it.each([
    [
      'en',
      'Cancel my broadband contract',
      { customerName: 'Tom Reed', provider: 'Netline Ltd' },
      'Netline Ltd\n',
      'Tom Reed',
    ],
    ['de', 'Handyvertrag kündigen', { Kundenname: 'Tom Reed', Anbieter: 'Telnova GmbH' }, 'Telnova GmbH\n', 'Tom Reed'],
    ['de', 'Handyvertrag kündigen', { Name: 'Tom Reed', Anbieter: 'Telnova GmbH' }, 'Telnova GmbH\n', 'Tom Reed'],
    [
      'fr',
      'Résilier mon assurance',
      { assuré: 'Karim Benali', assureur: 'Val Assurances' },
      'Val Assurances\n',
      'Karim Benali',
    ],
    [
      'es',
      'Dar de baja el gimnasio',
      { socio: 'Pablo Rey', gimnasio: 'Gimnasio Titán' },
      'Gimnasio Titán\n',
      'Pablo Rey',
    ],
    [
      'en',
      'Decline an applicant',
      { company: 'Lindner Ltd', applicant: 'Ms Hope', position: 'cook' },
      'Dear Ms Hope',
      'Lindner Ltd',
    ],
    [
      'en',
      'Welcome a new client',
      { client: 'Ms Hope', from: 'Clara Boyd, Harbour Hotel' },
      'Dear Ms Hope',
      'Clara Boyd, Harbour Hotel',
    ],
  ])(
    'is the customer where the letter is to the provider, and the firm where it is to a person (%s, %s)',
    (locale, purpose, facts, begins, ends) => {
      const body = draft(locale, purpose, facts as unknown as Record<string, string>)?.body ?? '';
      expect(body.startsWith(begins)).toBe(true);
      expect(body.endsWith(ends)).toBe(true);
    },
  );

  it('is no place that a journey begins at', () => {
    const body = draft('en', 'Confirm the booking', {
      guest: 'Ms Hope',
      booking: 'B-1',
      from: 'York',
      to: 'Leeds',
    })?.body;
    expect(body).toContain('From: York');
    expect(body?.endsWith('Kind regards')).toBe(true);
  });
});
