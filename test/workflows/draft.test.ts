import { describe, expect, it, vi } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { type DraftReply, draftFamily } from '../../src/workflows/families/draft.ts';
import { kindOfPurpose } from '../../src/workflows/families/draft-purpose.ts';
import { formatValue } from '../../src/workflows/families/draft-values.ts';
import { draftKinds, draftWords } from '../../src/workflows/packs/draft-kinds.ts';
import { draftTemplates, draftTones } from '../../src/workflows/packs/draft-templates.ts';
import { ask, prepare, refusedFields } from './ask.ts';
import { purposes, unclear } from './draft-purposes.ts';

const draft = (json: unknown): DraftReply => ask(draftFamily, DraftDocumentRequestSchema, json);
const languages = ['en', 'de', 'es', 'fr'] as const;

const request = {
  purpose: 'zebra walrus: apologise because the order of 3 May comes later than promised',
  audience: 'Ms Kovač',
  tone: 'formal',
  facts: [
    { name: 'order number', value: '4711', source: 'shop system' },
    { name: 'new delivery date', value: '14 May', source: 'carrier 📦' },
    { name: 'compensation' },
    { name: 'weather', value: 'snow' },
  ],
  mustInclude: ['new delivery date', 'contact person', 'We thank you for your patience.'],
};

/** A request of a kind that gives each field a value of its own. */
function whole(kind: string, locale: string, more: object = {}) {
  const fields = [...(draftKinds.get(kind)?.fields.values() ?? [])];
  const facts = fields.map(({ name, type }, index) => ({
    name,
    value: `${type === 'date' ? '4 May, ' : ''}Wert${index}x`,
  }));
  return { purpose: 'zebra walrus', kind, locale, facts, ...more };
}

describe('a draft', () => {
  it('has a sentence for each fact, a placeholder for what is not given, and the rest in lines', () => {
    const { draft: made, missingFacts, nextBestAction, unusedFields } = draft(request);
    expect(made).toMatchObject({ kind: 'apology_for_delay', locale: 'en', state: 'pending_review' });
    expect(made?.title).toBe('Delay of your order 4711');
    expect(made?.body).toBe(
      [
        'Dear Ms Kovač,',
        'We apologise for the delay of your order 4711.',
        'The new date is 14 May. As amends: [[compensation]].',
        'Further details:\n- Weather: snow',
        'We thank you for your patience.',
        'If you have questions, please contact [[contact person]].',
        'Yours sincerely',
      ].join('\n\n'),
    );
    expect(missingFacts).toEqual(['compensation', 'contact person']);
    expect(made?.placeholders).toEqual(['compensation', 'contact person']);
    expect(nextBestAction).toBe('State what is not given: compensation, contact person.');
    expect(unusedFields).toEqual([{ field: 'facts[3]', nearest: '' }]);
  });

  it('tells where each placeholder stands and which field it is, in code points', () => {
    const { draft: made } = draft({ ...request, audience: '😀' });
    const points = [...(made?.body ?? '')];
    const places = made?.openPlaceholders.map(({ name, field, start, end }) => [
      points.slice(start, end).join(''),
      name,
      field,
    ]);
    expect(places).toEqual([
      ['[[compensation]]', 'compensation', 'compensation'],
      ['[[contact person]]', 'contact person', 'contact'],
    ]);
  });

  it('cites each fact where it stands, in code points, also as the locale writes it', () => {
    const cited = (json: unknown) => {
      const { draft: made } = draft(json);
      const points = [...(made?.body ?? '')];
      return made?.citations.map(({ start, end, fact }) => [points.slice(start, end).join(''), fact]);
    };
    expect(cited({ ...request, audience: '😀' })).toEqual([
      ['4711', 'order number'],
      ['14 May', 'new delivery date'],
      ['snow', 'weather'],
    ]);
    const facts = [{ name: 'newDate', value: '2026-12-03' }];
    expect(cited({ purpose: 'abc', kind: 'apology_for_delay', locale: 'de-AT', facts })).toEqual([
      ['3. Dezember 2026', 'newDate'],
    ]);
  });

  it('asks for what its kind needs, in the reader’s language', () => {
    const asked = (locale: string, facts: object[] = []) =>
      draft({ purpose: 'abc', kind: 'payment_reminder', locale, facts }).draft?.placeholders;
    // Not for the day on which it was due: an invoice and an amount tell what to pay.
    expect(asked('en')).toEqual(['invoice number', 'amount']);
    expect(asked('de-CH')).toEqual(['Rechnungsnummer', 'Betrag']);
    expect(asked('es')).toEqual(['número de factura', 'importe']);
    expect(asked('fr')).toEqual(['numéro de facture', 'montant']);
    // What may stand instead, and what the caller calls otherwise, is not asked for again.
    expect(
      asked('en', [
        { name: 'rent', value: 'October' },
        { name: 'deadline', value: '3 May' },
      ]),
    ).toEqual(['amount']);
  });

  it('prints nothing of the instruction, whatever the kind, form, tone and language', () => {
    let count = 0;
    for (const kind of ['', ...draftKinds.keys()])
      for (const locale of languages)
        for (const template of draftTemplates.templates.keys()) {
          const tone = draftTones[count++ % draftTones.length];
          const { draft: made } = draft({ ...request, kind, locale, template, tone, length: 'long' });
          const text = `${made?.title}\n${made?.body}`;
          expect(text).not.toMatch(/zebra|walrus|because the order/i);
          const numbers = text.match(/\d+/g) ?? [];
          expect(numbers.filter((number) => !['4711', '14'].includes(number))).toEqual([]);
          expect(text).not.toContain('{');
          for (const fact of ['4711', '14 May', 'snow']) expect(text, `${kind} ${locale} ${template}`).toContain(fact);
        }
  });

  it('states every field in every language and form, and finds nothing grave in its own words', () => {
    for (const kind of draftKinds.keys())
      for (const locale of languages)
        for (const template of draftTemplates.templates.keys()) {
          const { draft: made, unusedFields } = draft(whole(kind, locale, { template }));
          const absent = [...(draftKinds.get(kind)?.fields.keys() ?? [])].filter(
            (_, index) => !made?.body.includes(`Wert${index}x`),
          );
          expect(absent, `${kind} ${locale} ${template}`).toEqual([]);
          expect(unusedFields).toEqual([]);
          expect(made?.placeholders).toEqual([]);
          expect(
            made?.findings.filter(({ severity }) => severity !== 'low'),
            `${kind} ${locale}`,
          ).toEqual([]);
          expect(made?.body).not.toContain(draftWords.get(locale)?.details);
        }
  });

  it('greets and ends as the language and the tone do', () => {
    const ends = (locale: string, tone: string, recipient: string) => {
      const facts = [{ name: 'recipient', value: recipient }];
      const lines =
        draft({ purpose: 'abc', kind: 'offer', template: 'letter', locale, tone, facts }).draft?.body.split('\n\n') ??
        [];
      return [lines[0], lines.at(-1)];
    };
    expect(ends('en-GB', 'formal', 'Mr Lund')).toEqual(['Dear Mr Lund,', 'Yours sincerely']);
    expect(ends('de', 'formal', 'Frau Albrecht')).toEqual(['Sehr geehrte Frau Albrecht,', 'Mit freundlichen Grüßen']);
    expect(ends('de', 'formal', 'Herr Yilmaz')).toEqual(['Sehr geehrter Herr Yilmaz,', 'Mit freundlichen Grüßen']);
    expect(ends('de', 'friendly', 'Mia')).toEqual(['Hallo Mia,', 'Herzliche Grüße']);
    expect(ends('es', 'formal', 'Sra. Ruiz')).toEqual(['Estimada Sra. Ruiz:', 'Le saluda atentamente,']);
    expect(ends('es', 'neutral', 'Sr. Gil')).toEqual(['Buenos días, Sr. Gil:', 'Un saludo,']);
    expect(ends('fr', 'neutral', 'Mme Dupont')).toEqual(['Bonjour Mme Dupont,', 'Cordialement,']);
    // Who can't be greeted by name is named above the salutation.
    expect(ends('de', 'formal', 'Modebau GmbH')).toEqual(['Modebau GmbH', 'Mit freundlichen Grüßen']);
    expect(ends('fr', 'formal', 'Atelier Nord')[0]).toBe('Atelier Nord');
  });

  it('is in the language of the purpose when no locale is given, and in English when neither is known', () => {
    const locale = (json: object) => draft({ facts: [], ...json }).draft?.locale;
    expect(locale({ purpose: 'Entschuldige dich beim Kunden, dass die Lieferung später kommt.' })).toBe('de');
    expect(locale({ purpose: 'Confirmer le rendez-vous de mardi avec la cliente.' })).toBe('fr');
    expect(locale({ purpose: 'Entschuldige dich beim Kunden.', locale: 'pt-PT' })).toBe('en');
    expect(locale({ purpose: 'abc', locale: 'not a tag' })).toBe('en');
    expect(locale({ purpose: 'abc', locale: 'de_AT' })).toBe('de-AT');
  });

  it('leaves out its own words that must not be in it', () => {
    const body = (mustAvoid: string[]) => draft({ ...request, tone: 'friendly', mustAvoid }).draft?.body;
    expect(body([])).toContain('We are sorry for the delay');
    expect(body(['sorry'])).toContain('We apologise for the delay');
    expect(draft({ ...request, tone: 'friendly', mustAvoid: ['sorry'] }).draft?.findings).toEqual([]);
  });

  it('finds phrases that must not be in it, and risky ones of its domain', () => {
    const reply = draft({
      purpose: 'tell about our new fund',
      facts: [
        { name: 'promise', value: 'guaranteed returns' },
        { name: 'launch', value: 'next spring, so hurry' },
      ],
      mustAvoid: ['next spring'],
      domain: 'finance',
    });
    expect(reply.draft?.riskLevel).toBe('critical');
    expect(reply.draft?.findings.map(({ category }) => category)).toEqual([
      'misleading_finance',
      'must_avoid',
      'misleading_marketing',
    ]);
    expect(reply.basis?.checks.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['facts-given', 'passed'],
      ['text-not-risky', 'failed'],
      ['avoided-phrases', 'failed'],
    ]);
    expect(reply.nextBestAction).not.toContain('approve');
  });

  it('keeps replacement marks and brackets of the caller as they are', () => {
    const { draft: made } = draft({
      purpose: 'prices',
      audience: '$$',
      facts: [
        { name: 'price', value: 'of $& and $1 {item}' },
        { name: 'a[b]c', value: '' },
        { name: 'sender', value: 'Ana' },
      ],
    });
    expect(made?.body).toContain('- Price: of $& and $1 {item}');
    expect(made?.body).toContain('Dear $$,');
    expect(made?.placeholders).toEqual(['a b c']);
    expect(made?.body.endsWith('Kind regards\nAna')).toBe(true);
  });

  it('takes several facts for a list, and one alone for any other field', () => {
    const { draft: made } = draft({
      purpose: 'abc',
      kind: 'meeting_summary',
      facts: [
        { name: 'meeting', value: 'site visit' },
        { name: 'task 1', value: 'Ana calls' },
        { name: 'task 2', value: 'Ben writes' },
        { name: 'date', value: '3 May' },
        { name: 'day', value: 'Monday' },
      ],
    });
    expect(made?.body).toContain('Tasks:\n- Ana calls\n- Ben writes');
    expect(made?.body).toContain('Date: 3 May');
    expect(made?.body).toContain('- Day: Monday');
  });

  it('refuses an unknown form, an unknown kind and a fact that is there twice', () => {
    const refused = (json: unknown) => refusedFields(prepare(draftFamily, DraftDocumentRequestSchema, json));
    expect(refused({ ...request, template: 'sonnet' })).toEqual(['template']);
    expect(refused({ ...request, kind: 'ransom_note' })).toEqual(['kind']);
    const result = prepare(draftFamily, DraftDocumentRequestSchema, { ...request, kind: 'appology_for_delay' });
    expect(JSON.stringify(result)).toContain('perhaps apology_for_delay is meant');
    const twice = [
      { name: 'a', value: '1' },
      { name: 'A', value: '2' },
    ];
    expect(refused({ ...request, facts: twice })).toEqual(['facts[1].name']);
  });
});

describe('what is said about a draft', () => {
  it.each([
    ['de', /^Es fehlt noch: /, 'Im Text steht etwas, das nicht darin stehen soll.', /mit anderen Worten/],
    ['es', /^Falta por indicar: /, 'El texto contiene una expresión que no debe aparecer.', /con otras palabras/],
    ['fr', /^À préciser : /, 'Le texte contient une formule à éviter.', /autrement/],
    ['en', /^Not given: /, 'A phrase that must not be in the document is in it.', /in other words/],
  ])('is in its language: %s', (locale, open, unwanted, otherwise) => {
    const { basis, draft: made } = draft({
      kind: 'notice',
      purpose: 'x',
      locale,
      facts: [{ name: 'note', value: 'Aurora' }],
      mustInclude: ['date'],
      mustAvoid: ['aurora'],
    });
    const message = (id: string) => basis?.checks.find((check) => check.id === id)?.message;
    expect(message('facts-given')).toMatch(open);
    expect(message('avoided-phrases')).toBe(unwanted);
    expect(made?.findings).toMatchObject([{ category: 'must_avoid', reason: unwanted }]);
    expect(made?.findings[0]?.suggestion).toMatch(otherwise);
  });

  it.each([
    ['de', 'Dafür drohen wir. Überweisen Sie die Anzahlung sofort per Western Union.'],
    ['es', 'Pague el anticipo hoy mismo por Western Union.'],
    ['fr', "Payez l'acompte aujourd'hui par Western Union."],
  ])('tells what to do with what is risky in its language: %s', (locale, value) => {
    const [finding] = draft({ purpose: 'x', locale, facts: [{ name: 'note', value }] }).draft?.findings ?? [];
    expect(finding).toBeDefined();
    expect(finding?.suggestion).not.toMatch(/\b(the|your|only)\b/);
  });

  it.each([
    ['de', 'hiermit kündigen wir folgenden Vertrag zum 31. Mai 2027: Büro Nord.'],
    ['es', 'Por la presente rescindimos con efectos del 31 de mayo de 2027 el siguiente contrato: Büro Nord.'],
    ['fr', 'Par la présente, nous résilions à compter du 31 mai 2027 le contrat suivant : Büro Nord.'],
  ])('a termination reads as one: %s', (locale, sentence) => {
    const names = {
      de: ['Vertrag', 'Vertragsende'],
      es: ['contrato', 'termina el'],
      fr: ['contrat', 'fin du contrat'],
    };
    const [contract = '', end = ''] = names[locale as keyof typeof names];
    const facts = [
      { name: contract, value: 'Büro Nord' },
      { name: end, value: '2027-05-31' },
    ];
    expect(draft({ kind: 'notice', purpose: 'x', locale, facts }).draft?.body).toContain(sentence);
  });
});

describe('the kind of a purpose', () => {
  it.each(Object.keys(purposes))('is heard in four languages: %s', (kind) => {
    expect(draftKinds.has(kind)).toBe(true);
    const heard = (purposes[kind] ?? []).filter((purpose) => kindOfPurpose(purpose, []).id !== kind);
    expect(heard).toEqual([]);
  });

  it('has purposes for every kind', () => {
    expect(Object.keys(purposes).sort()).toEqual([...draftKinds.keys()].sort());
  });

  it('is none where nothing clear is said', () => {
    expect(unclear.map((purpose) => kindOfPurpose(purpose, []).id)).toEqual(unclear.map(() => ''));
  });

  it.each([
    ['refund_granted', 'Let her know that we pay back the deposit for the class', []],
    ['refund_granted', 'der Kundin mitteilen, dass sie das Geld für den Mixer zurückbekommt', []],
    ['refund_granted', 'decir a los padres que devolvemos la cuota del campamento', []],
    ['refund_granted', 'on rend sa caution à M. Vidal', ['locataire', 'compte']],
    ['refund_refused', 'she cancelled too late, so the deposit stays with us', ['guest', 'booking']],
    ['refund_refused', 'no vamos a devolver el precio de la entrada', []],
    ['payment_reminder', 'First friendly reminder, probably just forgotten', ['invoice', 'outstanding', 'was due']],
    ['payment_reminder', 'demander poliment où est l’argent de la facture 88', ['montant', 'échéance']],
    ['rejection', 'Let Tom know that he did not get the job', ['applicant', 'position']],
    ['rejection', 'decirle que no al candidato', ['candidato', 'puesto']],
    ['rejection', 'répondre négativement à la candidate', ['candidate', 'poste']],
    ['complaint', 'lettre de réclamation contre le plombier', ['plombier']],
    ['sick_note', 'mein Sohn hat Fieber und bleibt zu Hause', ['Kind', 'Klasse', 'von', 'bis']],
  ])('is composed of words that go together: %s, %s', (kind, purpose, names) => {
    expect(kindOfPurpose(purpose, names).id).toBe(kind);
  });

  it.each([
    ['Ask the shop for my money back', ['shop', 'amount']],
    ['Ask for two more weeks to pay the bill', ['invoice', 'amount']],
    ['Request for a quote for new windows', ['windows']],
    ['Thank the customer for the payment', ['invoice', 'amount', 'paid on']],
    ['dem Interessenten sagen, dass er die Wohnung bekommt', ['Interessent', 'Wohnung', 'ab']],
    ['contestar a una pregunta sobre la habitación', ['habitación']],
    ['demander un avis à la cliente', ['cliente', 'lien']],
  ])('is none where the same words say something else: %s', (purpose, names) => {
    expect(kindOfPurpose(purpose, names).id).toBe('');
  });

  it('is heard at the beginning, so that a long purpose takes no longer', () => {
    expect(kindOfPurpose(`Confirm the appointment. ${'x '.repeat(900)}`, []).id).toBe('confirmation');
    expect(kindOfPurpose(`${'x '.repeat(900)} Confirm the appointment.`, []).id).toBe('');
  });

  it('is told by what is given where the words alone are few', () => {
    expect(kindOfPurpose('Reminder.', []).id).toBe('');
    expect(kindOfPurpose('Reminder.', ['invoice number', 'amount', 'due date']).id).toBe('payment_reminder');
  });
});

describe('a value', () => {
  it('is written as the locale writes it where it is written as machines do', () => {
    const nbsp = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');
    const written = (value: string, locale: string) => nbsp(formatValue(value, locale));
    expect(written('2026-12-03', 'en-GB')).toBe('3 December 2026');
    expect(written('2026-12-03', 'en-US')).toBe('December 3, 2026');
    expect(written('2026-12-03', 'de')).toBe('3. Dezember 2026');
    expect(written('2026-12-03', 'es')).toBe('3 de diciembre de 2026');
    expect(written('2026-12-03T10:30', 'fr')).toBe('3 décembre 2026 à 10:30');
    expect(written('1190.00 EUR', 'de')).toBe('1.190,00 €');
    expect(written('EUR 1190.00', 'fr')).toBe('1 190,00 €');
    expect(written('12345678901234.56 USD', 'en-US')).toBe('$12,345,678,901,234.56');
  });

  it('stays as it is where people wrote it, or where it is none', () => {
    for (const value of [
      '3 May',
      'EUR 1,190.00',
      '£85',
      '2026-02-30',
      '2026-12-03T25:00',
      '4711',
      'KT-20',
      '12 XYZ',
      'ABC 2000',
      'EUR 480',
    ])
      expect(formatValue(value, 'de')).toBe(value);
  });

  it('keeps formats of the last regions only, which anybody may invent', () => {
    const format = vi.spyOn(Intl, 'DateTimeFormat');
    for (let region = 100; region < 500; region++) formatValue('2026-12-03', `de-${region}`);
    const made = format.mock.calls.length;
    formatValue('2026-12-03', 'de-499');
    expect(format.mock.calls.length).toBe(made);
    formatValue('2026-12-03', 'de-100');
    expect(format.mock.calls.length).toBe(made + 1);
    format.mockRestore();
  });
});
