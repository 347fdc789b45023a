// What a draft lacks, sums as people write them, and reasons that nobody may give.
import { expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { whyNotApprovable } from '../../src/workflows/drafts/approval.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { ask } from './ask.ts';

const draft = (purpose: string, locale: string, facts: Record<string, string> = {}) =>
  ask(draftFamily, DraftDocumentRequestSchema, {
    purpose,
    locale,
    facts: Object.entries(facts).map(([name, value]) => ({ name, value })),
  });

it.each([
  ['thank you letter', 'en', 'content'],
  ['Dankschreiben', 'de', 'Inhalt'],
  ['boletín', 'es', 'contenido'],
  ['mot de bienvenue', 'fr', 'contenu'],
])('a draft of which nothing is given has a place for it: %s', (purpose, locale, content) => {
  const reply = draft(purpose, locale);
  expect(reply.draft?.placeholders).toEqual([content]);
  expect(reply.missingFacts).toEqual([content]);
  expect(reply.nextBestAction).toContain(content);
});

it('neither a day nor a sum says what a complaint is about', () => {
  const reply = draft('complaint', 'en', { product: 'dining table', amount: '12.50 GBP', date: '2026-11-02' });
  expect(reply.missingFacts).toEqual(['problem']);
});

it.each([
  ['en', '12.5 GBP', '£12.50'],
  ['de', '1250.5 EUR', '1.250,50 €'],
  ['es', '1250.5 EUR', '1250,50 €'],
  ['fr', 'EUR 1250.5', '1 250,50 €'],
])('a sum with one decimal is written as money: %s %s', (locale, amount, written) => {
  const body = draft('payment reminder', locale, { amount, invoice: '4711' }).draft?.body.replace(
    /[\u00a0\u202f]/g,
    ' ',
  );
  expect(body).toContain(written);
});

it('a name in code is no label', () => {
  const body = draft('offer', 'en', { product: 'shed', price: '10 EUR', deliveryTime: '2 weeks' }).draft?.body;
  expect(body).toContain('Delivery time: 2 weeks');
});

const rejections = [
  ['rejection of an application', 'en', 'position', 'reason'],
  ['Absage auf eine Bewerbung', 'de', 'Stelle', 'Grund'],
  ['rechazo de candidatura', 'es', 'puesto', 'motivo'],
  ['refus de candidature', 'fr', 'poste', 'motif'],
] as const;
const unlawful = [
  [
    ...[
      'too old for the team',
      'your age',
      'age 58',
      'over 50',
      'we want someone younger',
      'pregnancy',
      'she has small children',
    ],
    ...[
      'your religion',
      'Muslim',
      'headscarf',
      'your disability',
      'your nationality',
      'a woman',
      'gay',
      'union member',
    ],
  ],
  [
    ...[
      'zu alt für das Team',
      'Ihr Alter',
      '58 Jahre alt',
      'über 50',
      'jüngere Person gesucht',
      'Schwangerschaft',
      'kleine Kinder',
    ],
    ...[
      'Religion',
      'Muslimin',
      'Kopftuch',
      'Behinderung',
      'Staatsangehörigkeit',
      'eine Frau',
      'homosexuell',
      'Gewerkschaft',
    ],
  ],
  [
    ...[
      'demasiado mayor',
      'su edad',
      '58 años',
      'buscamos a alguien más joven',
      'embarazo',
      'hijos pequeños',
      'religión',
    ],
    ...['musulmana', 'velo', 'discapacidad', 'nacionalidad', 'ser mujer', 'homosexual', 'afiliación sindical'],
  ],
  [
    ...[
      'trop âgée',
      'votre âge',
      '58 ans',
      'nous cherchons quelqu’un de plus jeune',
      'grossesse',
      'enfants en bas âge',
    ],
    ...[
      'religion',
      'musulmane',
      'voile',
      'handicap',
      'nationalité',
      'être une femme',
      'homosexuel',
      'membre du syndicat',
    ],
  ],
];
const lawful = [
  [
    ...[
      'too little experience',
      'the position was filled',
      'missing driving licence',
      'another candidate has more experience',
    ],
    ...[
      'you are not available before March',
      'no foreign language skills',
      '120 applications for one position',
      '2 years of experience',
    ],
  ],
  [
    'zu wenig Erfahrung',
    'Stelle bereits besetzt',
    'kein Führerschein',
    'fehlende Sprachkenntnisse',
    'über 200 Bewerbungen',
  ],
  [
    'poca experiencia',
    'puesto ya cubierto',
    'sin carnet de conducir',
    'más de 200 candidatos',
    '2 años de experiencia',
  ],
  [
    "manque d'expérience",
    'poste déjà pourvu',
    'pas de permis de conduire',
    'plus de 200 candidats',
    "2 ans d'expérience",
  ],
];
const reasoned = (reasons: readonly string[][]) =>
  rejections.flatMap(([purpose, locale, position, because], at) =>
    (reasons[at] ?? []).map((reason) => [reason, locale, purpose, { [position]: 'chef', [because]: reason }] as const),
  );

it.each(reasoned(unlawful))(
  'a rejection by a protected characteristic is not approved: %s (%s)',
  (_, locale, purpose, facts) => {
    const document = draft(purpose, locale, facts).draft;
    if (!document) throw new Error('no draft');
    expect(document.kind).toBe('rejection');
    expect(whyNotApprovable(document)).toMatch(/it is critical: .*discrimination/);
  },
);

it.each(reasoned(lawful))('a rejection for a reason of the matter can be: %s (%s)', (_, locale, purpose, facts) => {
  const document = draft(purpose, locale, facts).draft;
  expect(document && whyNotApprovable(document)).toBeUndefined();
});

it.each([
  [
    'en',
    'request annual leave',
    { from: '2026-12-21', until: '2026-12-31', 'stand-in': 'Mia' },
    'take leave. Period: December 21, 2026 – December 31, 2026.',
  ],
  [
    'de',
    'Urlaub beantragen',
    { von: '2026-12-21', Vertretung: 'Mia' },
    'bitte ich um Urlaub. Beginn: 21. Dezember 2026.',
  ],
  [
    'es',
    'pedir vacaciones',
    { desde: '2026-12-21', hasta: '2026-12-31' },
    'Período: 21 de diciembre de 2026 – 31 de diciembre de 2026.',
  ],
  [
    'fr',
    'demander un congé',
    { du: '2026-12-21', au: '2026-12-31' },
    'un congé. Période : 21 décembre 2026 – 31 décembre 2026.',
  ],
] as const)('leave is asked for with its days: %s, %s', (locale, purpose, facts, stated) => {
  const reply = draft(purpose, locale, facts);
  expect(reply.draft?.kind).toBe('leave_request');
  expect(reply.draft?.body).toContain(stated);
  expect(reply.missingFacts).toEqual([]);
  expect(draft(purpose, locale).missingFacts).toHaveLength(1);
});

it.each([
  [
    'en',
    'job reference',
    { employee: 'Mia Holm', position: 'cook', qualities: 'reliable' },
    'Mia Holm worked with us. The position: cook.',
  ],
  [
    'de',
    'Arbeitszeugnis',
    { Mitarbeiterin: 'Mia Holm', Stelle: 'Köchin' },
    'Bei uns war Mia Holm tätig. Die Stelle: Köchin.',
  ],
  [
    'es',
    'carta de recomendación',
    { empleada: 'Mia Holm', puesto: 'cocinera' },
    'Mia Holm trabajó con nosotros. El puesto: cocinera.',
  ],
  [
    'fr',
    'lettre de recommandation',
    { salariée: 'Mia Holm', poste: 'cuisinière' },
    'Mia Holm a travaillé chez nous. Le poste : cuisinière.',
  ],
] as const)('a reference names who worked, and as what: %s, %s', (locale, purpose, facts, stated) => {
  const reply = draft(purpose, locale, facts);
  expect(reply.draft?.kind).toBe('job_reference');
  expect(reply.draft?.body).toContain(stated);
  expect(draft(purpose, locale).missingFacts).toHaveLength(1);
});

it.each([
  ['decline the holiday request', 'rejection'],
  ['confirm that the leave request is approved', 'confirmation'],
  ['I am on sick leave', 'sick_note'],
  ['ask for the reference number of my order', ''],
  ['offer a holiday flat', 'offer'],
  ['um ein Arbeitszeugnis bitten', ''],
])('what only mentions leave or a reference is another kind: %s', (purpose, kind) => {
  expect(draft(purpose, '').draft?.kind).toBe(kind);
});
