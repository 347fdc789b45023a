// Requests as people write them: other names of fields, slips, mixed units, words for numbers.
import { describe, expect, it } from 'vitest';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ask } from './ask.ts';

describe('answers in the words of a language', () => {
  const score = (answers: Readonly<Record<string, string>>) =>
    ask(scoringFamily, ScoreBusinessReadinessRequestSchema, { answers, locale: 'en' });
  const scoreOf = (indicator: string, answer: string) =>
    score({ [indicator]: answer })
      .dimensions.flatMap(({ drivers }) => drivers)
      .find((one) => one.indicator === indicator)?.score;

  it.each([
    ['taxesPaid', 'en partie', 30],
    ['taxesPaid', 'teilweise', 30],
    ['taxesPaid', 'a plazos', 55],
    ['booksUpToDate', 'vierteljährlich', 55],
    ['continuityPlan', 'par écrit', 65],
  ])('%s: %s', (indicator, answer, expected) => {
    expect(scoreOf(indicator, answer)).toBe(expected);
  });

  it('caps a business that paid its taxes in part', () => {
    expect(score({ taxesPaid: 'en partie' }).caps).toMatchObject([{ indicator: 'taxesPaid', rating: 'D' }]);
  });
});

describe("choices of a form of one's own", () => {
  const statusOf = (choices: readonly string[], reason: string) =>
    ask(guidanceFamily, CheckProfileRequestSchema, {
      form: { name: 'return', fields: [{ name: 'reason', kind: 'choice', choices }] },
      values: { reason },
    }).fields[0]?.status;
  it('are taken in any case, unless that is all they differ in', () => {
    expect(statusOf(['damaged', 'wrong size'], 'Damaged')).toBe('ok');
    expect(statusOf(['damaged', 'wrong size'], 'lost')).toBe('invalid');
    expect(statusOf(['A', 'a'], 'A')).toBe('ok');
  });
});

describe('a form', () => {
  const check = (template: string, values: Readonly<Record<string, unknown>>, locale = 'en') =>
    ask(guidanceFamily, CheckProfileRequestSchema, { template, values, locale });

  it.each([
    ['Frankreich', 'FR40303265045'],
    ['Spain', 'ESB58378431'],
    ['AT', 'ATU12345675'],
  ])('shows a tax number as %s writes it', (country, example) => {
    const field = check('company', { country }).fields.find((one) => one.field === 'taxId');
    expect(field?.suggestion).toContain(example);
    expect(check('company', { country, taxId: example }).fields.find((one) => one.field === 'taxId')?.status).toBe(
      'ok',
    );
  });

  it('tells the field that another name stands for', () => {
    const { unusedFields } = check('person', {
      firstName: 'Eva',
      Nachname: 'Kern',
      dob: '1990-02-03',
      código_postal: '1',
    });
    expect(unusedFields.map(({ nearest }) => nearest)).toEqual([
      'givenName',
      'familyName',
      'dateOfBirth',
      'postalCode',
    ]);
  });

  it.each([
    ['eva@gmial.com', 'gmail.com'],
    ['eva@gmai.com', 'gmail.com'],
    ['eva@hotmal.com', 'hotmail.com'],
    ['eva@gmaill.com', 'gmail.com'],
    ['eva@yaho.com', 'yahoo.com'],
  ])('asks whether %s is a slip, and does not refuse it', (email, meant) => {
    const field = check('person', { email }, 'de').fields.find((one) => one.field === 'email');
    expect(field).toMatchObject({
      status: 'weak',
      message: `Im Feld „E-Mail-Adresse“ ist vielleicht ${meant} gemeint.`,
    });
  });

  it.each(['eva@gmail.com', 'eva@mail.com', 'eva@kern.at', 'eva@gmx.ch', 'eva@t-online.de'])('takes %s', (email) => {
    expect(check('person', { email }).fields.find((one) => one.field === 'email')?.status).toBe('ok');
  });
});

it('a scorecard tells the indicator that another name stands for', () => {
  const { unusedFields } = ask(scoringFamily, ScoreBusinessReadinessRequestSchema, {
    metrics: { monthsOfCash: 4, profitMargin: 8 },
    answers: { licensed: 'yes' },
  });
  expect(unusedFields.map(({ nearest }) => nearest)).toEqual([
    'cashRunwayMonths',
    'grossMarginPercent',
    'licencesHeld',
  ]);
});

describe('a decision', () => {
  const compare = (criterion: string, first: unknown, second: unknown, locale = 'en') =>
    ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      options: [
        { name: 'North', attributes: { [criterion]: first } },
        { name: 'South', attributes: { [criterion]: second } },
      ],
      criteria: [{ name: criterion }],
      locale,
    });

  it.each([
    ['es', 'calidad', 'alta', 'media'],
    ['fr', 'qualité', 'très bonne', 'moyenne'],
    ['de', 'Qualität', 'sehr gut', 'mittel'],
    ['en', 'quality', 'high', 'low'],
  ])('reads steps in words (%s)', (locale, criterion, first, second) => {
    expect(compare(criterion, first, second, locale).recommendation?.option).toBe('North');
  });

  it('asks for a number where a word says nothing, and for one without its unit where it has one', () => {
    expect(compare('quality', 'nice', 'lovely').nextBestAction).toContain('from 1 to 5');
    expect(compare('quality', '3 of them', '4 in all').nextBestAction).toContain('without its unit');
  });

  it('takes no French load for a cost', () => {
    const asked = compare('charge', 80, 60, 'fr');
    expect(asked.nextBestAction).toContain('« charge »');
    expect(compare('frais', 80, 60, 'fr').recommendation?.option).toBe('South');
    expect(compare('monthlyCharge', 80, 60).recommendation?.option).toBe('South');
  });

  it.each([
    ['¿Contratamos a Marta o a Luis?', 'salario', 'Luis'],
    ['¿Qué oferta de trabajo acepto?', 'salario', 'Marta'],
    ['Wen stellen wir ein? Wir wollen bald einstellen.', 'Gehalt', 'Luis'],
    ['Which job offer should I take?', 'salary', 'Marta'],
    ['Quel candidat embaucher ?', 'salaire', 'Luis'],
  ])('takes pay for a cost of whoever hires and a gain of whoever takes a job: %s', (question, criterion, better) => {
    const options = [
      { name: 'Marta', attributes: { [criterion]: 28000 } },
      { name: 'Luis', attributes: { [criterion]: 24000 } },
    ];
    const memo = ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question,
      options,
      criteria: [{ name: criterion }],
    });
    expect(memo.recommendation?.option).toBe(better);
  });

  it('begins no sentence with a lower-case letter, unless a name is spelled so', () => {
    const memo = (name: string) =>
      ask(decisionFamily, WriteDecisionMemoRequestSchema, {
        locale: 'de',
        options: [
          { name, attributes: { Kosten: 900 } },
          { name: 'verkaufen', attributes: { Kosten: 1800 } },
        ],
        criteria: [{ name: 'Kosten' }],
      });
    expect(memo('reparieren').recommendation?.rationale).toMatch(/^Reparieren erreicht .* als verkaufen/);
    expect(memo('iPhone').recommendation?.rationale).toMatch(/^iPhone erreicht/);
  });

  const decide = (price: readonly [unknown, unknown]) =>
    ask(decisionFamily, WriteDecisionMemoRequestSchema, {
      question: 'Which supplier?',
      options: [
        { name: 'North', attributes: { price: price[0], days: 3 } },
        { name: 'South', attributes: { price: price[1], days: 5 } },
      ],
      criteria: [{ name: 'price' }, { name: 'days', direction: 'lower' }],
    });

  it('recommends nothing where what is not known could make another option as good', () => {
    expect(decide(['1.92 €', '1.70 €']).recommendation?.option).toBe('');
  });

  it('reads a comma before one or two digits as that of decimals', () => {
    const prices = decide(['1,92', '1,7']).ranking.map(({ criteria }) => criteria[0]?.value);
    expect(new Set(prices)).toEqual(new Set([1.92, 1.7]));
    expect(decide(['18,900', '19,900']).ranking[0]?.criteria[0]?.value).toBeUndefined();
  });
});

describe('a draft', () => {
  const body = (locale: string, kind: string, facts: Readonly<Record<string, string>>, purpose = 'xx') =>
    ask(draftFamily, DraftDocumentRequestSchema, {
      ...{ locale, kind, purpose },
      facts: Object.entries(facts).map(([name, value]) => ({ name, value })),
    }).draft?.body ?? '';

  it('writes to a tenant of a new rent, and in the name of one who gives notice', () => {
    const rent = { Mieter: 'Familie Kern', ab: '2027-02-01', 'alte Miete': '850.00 EUR', 'neue Miete': '890.00 EUR' };
    expect(body('de', 'notice', rent)).toMatch(
      /^Guten Tag Familie Kern,[\s\S]*Ab 1\. Februar 2027 zahlen Sie 890,00.€ statt bisher 850,00.€/,
    );
    const leaving = { Mieterin: 'Eva Kern', zum: '2027-02-28' };
    expect(body('de', 'notice', leaving, 'Kündigung meiner Wohnung')).toMatch(
      /kündige ich folgenden Vertrag zum 28[\s\S]*Grüße\nEva Kern$/,
    );
  });

  it('takes a beginning that is a day for a day', () => {
    expect(body('de', 'confirmation', { Kurs: 'Töpfern', Beginn: '2027-01-11' })).toContain(
      'Der Termin ist am 11. Januar 2027.',
    );
    expect(body('de', 'confirmation', { Kurs: 'Töpfern', Beginn: '18:30' })).toContain('18:30');
  });

  it.each([
    ['en', 'invoice', 'The invoice is F-991.'],
    ['de', 'Rechnung', 'Die Rechnungsnummer lautet F-991.'],
    ['es', 'factura', 'La factura es la F-991.'],
    ['fr', 'facture', 'La facture porte le numéro F-991.'],
  ])('complains about an invoice (%s)', (locale, name, words) => {
    expect(body(locale, 'complaint', { [name]: 'F-991', problem: 'x' })).toContain(words);
  });
});

describe('a listing', () => {
  const read = (title: string, description: string, category = '') =>
    ask(readinessFamily, ScoreListingRequestSchema, {
      listing: {
        title,
        description,
        category,
        price: 90,
        currency: 'EUR',
        location: 'Graz',
        images: [{ url: 'https://img.example/1.jpg' }],
      },
    });
  const facts = (title: string, description: string, category = '') =>
    Object.fromEntries(read(title, description, category).facts.map(({ name, value }) => [name, value]));

  it.each([
    ['golf 6 diesel', 'bj 2011, 187tkm, 105ps, schalter. tüv bis 8/27', 'auto', { transmission: 'manual' }],
    ['movil xiaomi redmi note 12', '4/128 precintado, libre', 'moviles', { storageGb: '128', condition: 'new' }],
    ['samsung s22', 'screen cracked but works, sold for spares or repair', 'Phones', { condition: 'used' }],
    [
      'oak dining table',
      'solid oak, 6ft x 3ft, some marks on top',
      'Furniture',
      { dimensions: '6ft x 3ft', condition: 'used' },
    ],
    [
      'Armoire normande',
      'en chêne, 2m10 de haut, quelques traces du temps',
      'Meubles',
      { dimensions: '2m10', condition: 'used' },
    ],
  ])('says what is meant: %s', (title, description, category, expected) => {
    expect(facts(title, description, category)).toMatchObject(expected);
  });

  it.each([
    ['ps5 disc edition', '825gb, works perfect, boxed', 'Consoles', { condition: 'working' }],
    ['table en verre', '160x90, petit éclat dans un coin', 'Meubles', { condition: 'used' }],
    ['casa adosada 4 hab', 'vendo adosado 160 m2, CEE: E', 'Casas', { energyClass: 'E', offer: 'sale' }],
    ['golf 6 diesel tüv neu', 'verkaufe mein golf 6, bj 2011, 187tkm', 'auto', { year: '2011' }],
  ])('says more of what is meant: %s', (title, description, category, expected) => {
    expect(facts(title, description, category)).toMatchObject(expected);
  });

  it('quotes the pay with its period', () => {
    const { facts: of } = read('Aushilfe gesucht', 'Bäckerei Lang sucht Aushilfe, 13,50 €/h', 'Minijob');
    expect(of.find(({ name }) => name === 'salaryPeriod')).toMatchObject({ value: 'hour', quote: '13,50 €/h' });
  });

  it('takes piano lessons for a service', () => {
    expect(read('Klavierunterricht für Kinder', 'erste Stunde gratis', 'Unterricht').kind).toBe('services');
  });

  it('quotes a currency with its amount', () => {
    expect(read('Sofa', 'Sofa, 890 €, 200 cm').facts.find(({ name }) => name === 'currency')?.quote).toBe('890 €');
  });

  it.each([
    ['room to let in shared house', 'double room, bills included, 520pcm, available now', 'Rooms'],
    [
      'Alquilo habitación en piso compartido',
      'habitación exterior, 380 euros al mes, gastos incluidos',
      'Habitaciones',
    ],
    ['WG-Zimmer in Graz', 'möbliertes Zimmer, 420 Euro warm, ab sofort', 'WG'],
  ])('of a room in a shared home needs no area: %s', (title, description, category) => {
    const { kind, blockers, facts } = read(title, description, category);
    expect(kind).toBe('property');
    expect(blockers).toEqual([]);
    expect(facts.map(({ name }) => name)).not.toContain('rooms');
  });

  it.each([
    ['iPhone 12 128 Go débloqué', 'iPhone 12 noir 128 Go, écran sans rayure, batterie à 86 %.', 'Téléphones'],
    ['iPhone 12 128 GB frei', 'iPhone 12 schwarz, 128 GB, Display ohne Kratzer.', 'Handys'],
    ['iPhone 12 128 GB libre', 'iPhone 12 negro, 128 GB, pantalla sin arañazos.', 'Móviles'],
    ['iPhone 12 128 GB unlocked', 'iPhone 12 in black, 128 GB, screen without scratches.', 'Phones'],
  ])('of a phone says its condition by its screen, and its storage is no part of its model: %s', (...words) => {
    expect(facts(...words)).toMatchObject({ condition: 'good', model: 'iPhone 12' });
  });

  it.each([
    ['Washing machine Bosch 7 kg', 'Bosch washing machine, used for three years, works well.', 'appliances'],
    ['Waschmaschine Bosch, 7 kg', 'Waschmaschine, drei Jahre alt, gebraucht, läuft einwandfrei.', 'Haushaltsgeräte'],
    ['Lavadora Bosch 7 kg', 'Lavadora usada, tres años, funciona perfectamente.', 'Electrodomésticos'],
    ['Lave-linge Bosch 7 kg', 'Lave-linge d’occasion, trois ans, bon état.', 'Électroménager'],
  ])('of a household device asks for its number, and does not wait for it: %s', (title, description, category) => {
    const { blockers, missingFacts } = read(title, description, category);
    expect(blockers.map(({ check }) => check)).not.toContain('device-model-given');
    expect(missingFacts).toEqual(expect.arrayContaining([expect.stringMatching(/^mod/i)]));
  });

  it.each([
    ['barista wanted part time', 'small cafe looking for barista, 20 hrs/week, £12.60/h', 'cafe'],
    [
      'Se busca camarero/a',
      'Restaurante en el centro busca camarero, jornada completa, 1.500€ brutos',
      'Restaurante en el centro',
    ],
    ['Serveur H/F CDI', 'Brasserie recherche serveur, CDI 39h, 1 950€ net', 'Brasserie'],
    ['Koch gesucht', 'Gasthaus am See sucht Koch, 40h/Woche, Gehalt 2.600 brutto', 'Gasthaus am See'],
  ])('of a job says who employs: %s', (title, description, employer) => {
    expect(facts(title, description, 'Jobs').employer).toBe(employer);
  });
});
