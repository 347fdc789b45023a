import { describe, expect, it } from 'vitest';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { decisionFamily } from '../../src/workflows/families/decision.ts';
import { ask, prepare } from './ask.ts';

type Values = Readonly<Record<string, unknown>>;

const decide = (options: Readonly<Record<string, Values>>, criteria: readonly object[], more: object = {}) =>
  ask(decisionFamily, WriteDecisionMemoRequestSchema, {
    question: 'Which one?',
    options: Object.entries(options).map(([name, attributes]) => ({ name, attributes })),
    criteria,
    locale: 'en',
    ...more,
  });

/** What a memo makes of a criterion without a direction. */
const direction = (name: string, question = 'Which one?', locale = 'en') => {
  const reply = decide({ More: { [name]: 30 }, Less: { [name]: 20 } }, [{ name }], { question, locale });
  const { option = '', confidence = 0 } = reply.recommendation ?? {};
  return confidence < 0.4 ? 'unsure' : option;
};

describe('the direction of a criterion that nobody stated', () => {
  it.each([
    ...['distancia al centro', 'distance to the office', 'Entfernung zum Bahnhof', 'distance du centre'],
    ...[
      'número de quejas',
      'Anzahl Reklamationen',
      'reclamaciones',
      'réclamations',
      'complaintsPerMonth',
      'quality defects',
    ],
    ...['prétentions salariales', 'Gehaltsvorstellung', 'Gehaltswunsch', 'pretensiones salariales', 'expected salary'],
    ...['temps de trajet', 'tiempo de viaje', 'Fahrtzeit', 'travel time'],
    ...['taux de panne', 'Ausfallrate', 'averías', 'breakdown rate'],
    ...['loan interest rate', 'Kreditzins', 'tipo de interés del préstamo', 'taux d’intérêt du crédit'],
    ...[
      'notice period',
      'minimum order',
      'Mindestbestellmenge',
      'Anschaffung',
      'Selbstbeteiligung',
      'Anfahrt',
      'absences',
    ],
    ...['presupuesto', 'renta mensual', 'cotisation', 'support response'],
    ...['prima anual', 'franquicia', 'ausencias', 'tiempo en taller', 'taux de casse', 'abonnement', 'préavis'],
    ...['payback period', 'Amortisationszeit', 'periodo de recuperación', 'délai d’amortissement'],
  ])('is less for %s', (name) => expect(direction(name)).toBe('Less'));

  it.each([
    ...[
      'ease of use',
      'support',
      'ubicación',
      'vitesse',
      'Bedienbarkeit',
      'Englischkenntnisse',
      'ram',
      'Arbeitsspeicher',
      'trato',
    ],
    ...[
      'énergie verte',
      'Ökostromanteil',
      'energía renovable',
      'recycled plastic',
      'income',
      'Einkommen',
      'Liefertreue',
    ],
    ...['taux de remboursement', 'souplesse', 'Erfolgsquote'],
    ...['antigüedad', 'ancienneté', 'avis clients', 'cobertura', 'Besucherzahl', 'return on investment', 'estrellas'],
    ...['fault tolerance', 'error reduction', 'Beschäftigungsqualität', 'return on investment', 'savings rate'],
  ])('is more for %s', (name) => expect(direction(name)).toBe('More'));

  it.each([
    ...['distance', 'Entfernung', 'distancia', 'interest rate', 'Zinssatz', 'complaint handling', 'gestión de quejas'],
    ...[
      'Beschwerdebearbeitung',
      'cancellations',
      'support tickets',
      'memory usage',
      'distance to location',
      'altura',
      'Alter',
      'kilométrage',
    ],
  ])('is unsure for %s', (name) => expect(direction(name)).toBe('unsure'));

  it.each([
    ['permanencia', '12 meses', '24 meses'],
    ['offer', '£9,800', '£12,500'],
    ['setup', '6 weeks', '4 months'],
    ['distance to the motorway', '900 m', '2 km'],
    ['Abstand', '3 km', '5 km'],
  ])('is taken to be less, as unsure, for what is paid or waited for, or far: %s', (name, less, more) => {
    const reply = decide({ More: { [name]: more }, Less: { [name]: less } }, [{ name }]);
    expect(reply.recommendation).toMatchObject({ option: 'Less', confidence: 0.39 });
    expect(reply.assumptions).toContain(
      `For ${name}, lower is taken as better; neither its name nor the request says so.`,
    );
  });

  it.each([
    ['salary', '£30,000', '£40,000'],
    ['days', '25 days', '30 days'],
    ['market value', '£30,000', '£40,000'],
  ])('is not taken to be less for %s', (name, less, more) => {
    const reply = decide({ More: { [name]: more }, Less: { [name]: less } }, [{ name }]);
    expect(reply.recommendation?.option).toBe('More');
  });

  it('says of nothing that is unsure who is ahead or weak there', () => {
    const told = decide({ A: { cost: 1, weight: 1, fame: 5 }, B: { cost: 2, weight: 9, fame: 3 } }, [
      { name: 'cost', weight: 5 },
      { name: 'weight', weight: 2 },
      { name: 'fame', weight: 7 },
    ]);
    expect(told.recommendation?.option).toBe('A');
    expect(told.recommendation?.rationale).not.toContain('is largest in');
    expect(told.risks.join()).not.toContain('weak in weight');
  });

  it('follows the side from which interest is seen', () => {
    expect(direction('interest rate', 'Which mortgage do we take?')).toBe('Less');
    expect(direction('Zinsen', 'Welches Tagesgeld nehmen wir?', 'de')).toBe('More');
  });

  it('takes no German Note for the better the higher', () => {
    expect(direction('Note', 'Wen nehmen wir?', 'de')).toBe('unsure');
    expect(direction('note', 'Lequel choisir ?', 'fr')).toBe('More');
  });

  it.each([
    ['en', 'Whether more or less of height and width is better is unsure, and the outcome depends on it.'],
    ['de', 'Ob beim Kriterium „height und width“ mehr oder weniger besser ist, ist unsicher; davon hängt'],
    ['es', 'No es seguro si en el criterio «height y width» es mejor más o menos'],
    ['fr', 'On ne sait pas si, pour le critère « height et width », plus ou moins est préférable'],
  ])('is told as unsure where only several together turn the outcome (%s)', (locale, told) => {
    const reply = decide(
      { A: { height: 30, width: 5 }, B: { height: 2, width: 1 } },
      [{ name: 'height' }, { name: 'width' }],
      {
        locale,
      },
    );
    expect(reply.recommendation?.confidence).toBeLessThan(0.4);
    for (const text of [reply.summary, reply.recommendation?.rationale, reply.risks.join()])
      expect(text).toContain(told);
    expect(reply.nextBestAction).toMatch(/height (?:and|und|y|et) width/);
  });

  it('does not matter where the outcome is the same either way', () => {
    const reply = decide({ A: { price: 1, height: 3 }, B: { price: 9, height: 5 } }, [
      { name: 'price', weight: 9 },
      { name: 'height', weight: 1 },
    ]);
    expect(reply.nextBestAction).toBe('Choose A.');
    expect(reply.risks.join()).not.toContain('unsure');
  });
});

describe('a constraint of which something is not known', () => {
  const suppliers = { Alpha: { cost: 90, GDPR: true }, Gamma: { cost: 50 }, Delta: { cost: 60, GDPR: false } };
  const GDPR = { attribute: 'GDPR', operator: '=', value: true, reason: 'The law wants it.' };

  it('is told as such, listed, and found out next', () => {
    const reply = decide(suppliers, [{ name: 'cost' }], { constraints: [GDPR] });
    expect(reply.missingFacts).toEqual(['GDPR of Gamma']);
    expect(reply.nextBestAction).toBe('Find out: GDPR of Gamma.');
    expect(reply.summary).toMatch(/^Alpha is the only option known to meet all constraints\. .*not known of: Gamma\./);
    expect(reply.recommendation?.confidence).toBeLessThan(0.4);
    expect(reply.basis?.checks[0]).toMatchObject({
      message: 'GDPR = true is not met by: Delta. GDPR is not known of: Gamma.',
      action: 'Find out: GDPR of Gamma. Leave out Delta, or relax this constraint.',
    });
  });

  it.each([
    ['de', /^Nur von Alpha ist bekannt/],
    ['es', /^Solo de Alpha se sabe/],
    ['fr', /^Alpha est la seule option dont on sait/],
  ])('is told in the reader’s language (%s)', (locale, told) => {
    expect(decide(suppliers, [{ name: 'cost' }], { constraints: [GDPR], locale }).summary).toMatch(told);
  });

  it('changes nothing where the option could not win anyway', () => {
    const reply = decide(
      { A: { cost: 1, GDPR: true }, B: { cost: 2, GDPR: true }, C: { cost: 9 } },
      [{ name: 'cost' }],
      {
        constraints: [GDPR],
      },
    );
    expect(reply.nextBestAction).toBe('Choose A.');
    expect(reply.missingFacts).toEqual(['GDPR of C']);
  });

  it('says that no option is known to meet it, rather than that none does', () => {
    const reply = decide({ A: { cost: 1 }, B: { cost: 2, GDPR: false } }, [{ name: 'cost' }], { constraints: [GDPR] });
    expect(reply.summary).toBe('No option is known to meet all constraints.');
    expect(reply.nextBestAction).toBe('Find out: GDPR of A.');
  });

  it.each([
    ['unbekannt', GDPR, 'unknown'],
    ['n/a', GDPR, 'unknown'],
    ['about 12', { attribute: 'GDPR', operator: '<=', value: 20 }, 'unknown'],
    ['sí', GDPR, 'met'],
    ['nein', GDPR, 'unmet'],
    ['1.250,00', { attribute: 'GDPR', operator: '<=', value: 1300 }, 'met'],
    ['1 250', { attribute: 'GDPR', operator: '<=', value: 1200 }, 'unmet'],
  ])('reads %s as people mean it', (value, constraint, standing) => {
    const { eliminated, missingFacts } = decide({ A: { cost: 1, GDPR: value } }, [{ name: 'cost' }], {
      constraints: [constraint],
    });
    const found = eliminated.length === 0 ? 'met' : missingFacts.length > 0 ? 'unknown' : 'unmet';
    expect(found).toBe(standing);
  });

  const atMost = { attribute: 'price', operator: '<=', value: 15000 };

  it('is read with the sign that the other options show', () => {
    const options = {
      A: { cost: 1, price: '12,400' },
      B: { cost: 2, price: '1,250.00' },
      C: { cost: 3, price: '16,000' },
    };
    const reply = decide(options, [{ name: 'cost' }], { constraints: [atMost] });
    expect(reply.missingFacts).toEqual([]);
    expect(reply.eliminated.map(({ option }) => option)).toEqual(['C']);
    const german = { ...options, B: { cost: 2, price: '9,5' } };
    expect(decide(german, [{ name: 'cost' }], { constraints: [atMost] }).eliminated).toEqual([]);
  });

  it.each([
    [{ price: '12,400' }, atMost],
    [{ price: 13000 }, { ...atMost, value: '12,400' }],
  ])('is to be written clearly, not to be found out, where it can mean two numbers: %o', (values, constraint) => {
    const reply = decide({ A: { cost: 1, ...values }, B: { cost: 2, price: 9000 } }, [{ name: 'cost' }], {
      constraints: [constraint],
    });
    const told = expect.stringMatching(/^“12,400” at price can mean two numbers .*Write 12400 or 12\.4,/);
    expect(reply.nextBestAction).toEqual(told);
    expect(reply.eliminated[0]?.reason).toEqual(told);
    expect(reply.basis?.checks[0]?.action).toEqual(told);
    expect(reply.missingFacts[0]).toBe('price of A');
  });

  it('names where most points come from only where most do', () => {
    const alone = (weight: number) =>
      decide(
        { A: { cost: 1, quality: 3, ok: 'x' }, B: { cost: 2, quality: 2, ok: '' } },
        [{ name: 'cost', weight }, { name: 'quality' }],
        {
          constraints: [{ attribute: 'ok', operator: 'present' }],
        },
      ).recommendation?.rationale;
    expect(alone(1)).toBe('A is the only option that meets all constraints.');
    expect(alone(2)).toContain('Most of the points come from cost.');
  });

  it('takes nobody for weak in what is known of nobody', () => {
    const reply = decide({ Aubry: { test: 9 }, Bernd: { test: 1 } }, [
      { name: 'test', weight: 8, direction: 'higher' },
      { name: 'English' },
    ]);
    expect(reply.recommendation?.option).toBe('Aubry');
    expect(reply.risks.join()).not.toContain('English');
  });
});

describe('values as people write them', () => {
  const read = (...values: unknown[]) => {
    const reply = decide(Object.fromEntries(values.map((price, at) => [`o${at}`, { price }])), [{ name: 'price' }]);
    const byName = new Map(reply.ranking.map(({ option, criteria }) => [option, criteria[0]?.value]));
    return { values: values.map((_, at) => byName.get(`o${at}`)), notes: reply.assumptions.join(' ') };
  };

  it.each([
    [
      ['1.250,00', '990,50'],
      [1250, 990.5],
    ],
    [
      ['1,250.00', '12,400'],
      [1250, 12400],
    ],
    [
      ['12.400', '9,5'],
      [12400, 9.5],
    ],
    [
      ['12 400', "12'400.50"],
      [12400, 12400.5],
    ],
    [
      ['1.250.000', '0.125'],
      [1250000, 0.125],
    ],
    [
      ['12,400', 3],
      [undefined, 3],
    ],
    [
      ['1.2.3', '1.250.00'],
      [undefined, undefined],
    ],
  ])('reads %j as %j', (written, expected) => expect(read(...written).values).toEqual(expected));

  it('says what is wrong with a value', () => {
    expect(read('12,400', 3).notes).toContain(
      '“12,400” at price can mean two numbers and counts as not known. Write 12400 or 12.4,',
    );
    expect(read('consultar', 2.8, 3.1).notes).toContain('Give a number, as for the other options.');
    expect(read('consultar', 'ask').notes).toContain('from 1 to 5');
    expect(read('1.250,00 credits', 2.8).notes).toContain('without its unit');
    expect(read('B2', 2.8).notes).not.toContain('unit');
  });

  it('reads levels of a language as steps, the higher the better, and tells the words that it read', () => {
    const reply = decide({ Aubry: { anglais: 'B2' }, Bernd: { anglais: 'C1' } }, [{ name: 'anglais' }]);
    expect(reply.nextBestAction).toBe('Choose Bernd.');
    expect(reply.assumptions).toContain('Words in anglais are read as numbers: C1 = 5 and B2 = 4 (of 6 at most).');
    const words = decide({ A: { Lieferzeit: 'sehr gut' }, B: { Lieferzeit: 'gut' } }, [{ name: 'Lieferzeit' }]);
    expect(words.recommendation?.option).toBe('A');
    expect(words.assumptions).toContain(
      'Words in Lieferzeit are read as numbers: sehr gut = 4 and gut = 3 (of 5 at most).',
    );
  });

  it('asks to rename a field whose name was mistaken', () => {
    const reply = decide({ GLS: { price: 3 }, DPD: { pirce: 2 } }, [{ name: 'price' }]);
    expect(reply.nextBestAction).toBe('“pirce” of DPD is not used. If it is price, name it “price”.');
  });
});

describe('the words of a decision memo', () => {
  it('declines the title of a man in German', () => {
    const reply = decide(
      { 'Herr Yilmaz': { Preis: 2, Note: 1 }, 'Herr Berg': { Preis: 1, Note: 1 }, Aydin: { Preis: 3 } },
      [{ name: 'Preis' }],
      { locale: 'de' },
    );
    expect(reply.nextBestAction).toBe('Entscheiden Sie sich für Herrn Berg.');
    expect(reply.recommendation?.rationale).toContain('50 mehr als Herr Yilmaz. Der größte Vorsprung vor Herrn Yilmaz');
  });

  const level = { A: { cost: 1, days: 2 }, B: { cost: 2, days: 1 } };

  it('names no other weight at which options are level that are level already', () => {
    const { markdown } = decide(level, [{ name: 'cost' }, { name: 'days', direction: 'lower' }]);
    expect(markdown).not.toContain('in place of');
  });

  it.each([
    ['en', 'Choose A soon: the deadline, 2025-01-01, has passed.'],
    ['de', 'Entscheiden Sie sich bald für A: Der Termin (2025-01-01) ist vorbei.'],
    ['es', 'Decídase pronto por A: la fecha límite (2025-01-01) ya ha pasado.'],
    ['fr', 'Choisissez A sans tarder : la date limite (2025-01-01) est passée.'],
  ])('tells a deadline in the past as past (%s)', (locale, told) => {
    const due = (deadline: string) =>
      decide({ A: { cost: 1 }, B: { cost: 2 } }, [{ name: 'cost' }], { locale, deadline });
    expect(due('2025-01-01').nextBestAction).toBe(told);
    expect(due('2025-01-01').risks).toHaveLength(1);
    expect(due('2026-11-22').risks).toEqual([]);
    expect(due('30 June').risks).toEqual([]);
  });

  it('says what a row names instead of an option', () => {
    const refused = prepare(decisionFamily, WriteDecisionMemoRequestSchema, {
      question: 'Which one?',
      options: [{ name: 'GLS' }, { name: 'DPD' }],
      criteria: [{ name: 'cost' }],
      table: { columns: ['option', 'cost'], rows: [{ cells: ['DPDD', 1] }] },
    });
    expect(refused).toMatchObject({
      failure: { violations: [{ description: '"DPDD" is none of the options: GLS, DPD; perhaps DPD is meant' }] },
    });
  });
});
