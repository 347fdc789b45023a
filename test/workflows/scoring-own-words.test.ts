// Scorecards of one's own, in the words of four languages: what closes a gate, and which values cannot be.
import { describe, expect, it } from 'vitest';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import { ask, prepare } from './ask.ts';

const years = {
  name: 'years',
  label: 'Years in business',
  weight: 9,
  curve: [
    { value: 0, score: 0 },
    { value: 10, score: 100 },
  ],
};

const score = (indicator: object, given: object) =>
  ask(scoringFamily, ScoreBusinessReadinessRequestSchema, {
    customScorecard: { name: 'own', dimensions: [{ name: 'all', indicators: [indicator, years] }] },
    ...given,
  });

const rated = (name: string, label: string, answer: string, bad: string, good: string) =>
  score(
    { name, label, weight: 1, choices: { [bad]: 0, [good]: 100 } },
    { metrics: { years: 10 }, answers: { [name]: answer } },
  );

describe('a gate', () => {
  it.each([
    ['sanctionsMatch', 'Appears on a sanctions list', 'E'],
    ['aufSanktionsliste', 'Steht auf einer Sanktionsliste', 'E'],
    ['enListaDeSanciones', 'Figura en una lista de sanciones', 'E'],
    ['surListeDeSanctions', 'Figure sur une liste de sanctions', 'E'],
    ['verurteilt', 'Geschäftsführung wegen Betrugs verurteilt', 'E'],
    ['blanqueo', 'Investigada por blanqueo de capitales', 'E'],
    ['insolvent', 'Insolvency proceedings are open', 'D'],
    ['insolvenz', 'Insolvenzverfahren läuft', 'D'],
    ['concurso', 'En concurso de acreedores', 'D'],
    ['redressement', 'En redressement judiciaire', 'D'],
  ])('is closed by what an indicator says: %s', (name, label, rating) => {
    expect(rated(name, label, 'yes', 'true', 'false')).toMatchObject({ rating, caps: [{ indicator: name }] });
    expect(rated(name, label, 'no', 'true', 'false')).toMatchObject({ rating: 'A', caps: [] });
  });

  it.each([
    ['onRegister', 'Entered in the commercial register'],
    ['imHandelsregister', 'Im Handelsregister eingetragen'],
    ['registroMercantil', 'Inscrita en el Registro Mercantil'],
    ['immatriculee', 'Immatriculée au registre du commerce'],
    ['steuerlichErfasst', 'Steuerlich erfasst'],
    ['genehmigung', 'Genehmigung liegt vor'],
    ['licencia', 'Tiene la licencia de actividad'],
    ['agrement', "Dispose de l'agrément"],
    ['careLicence', 'Holds a valid care licence'],
    ['guardLicense', 'Security guard license in force'],
    ['foodPermit', 'Has a current food handling permit'],
    ['transportlizenz', 'Gültige Transportlizenz'],
    ['pflege', 'Zulassung als Pflegedienst liegt vor'],
    ['tarjeta', 'Tarjeta de transporte en vigor'],
    ['licenceTransport', 'Licence de transport valide'],
    ['cartePro', 'Carte professionnelle en cours de validité'],
  ])('is closed by what is not there: %s', (name, label) => {
    expect(rated(name, label, 'false', 'false', 'true')).toMatchObject({ rating: 'D', caps: [{ indicator: name }] });
  });

  it.each([
    ['iso9001', 'Zertifiziert nach ISO 9001'],
    ['insured', 'Insured against liability'],
    ['taxAdvisor', 'Works with a tax adviser'],
    ['newsletter', 'Registered for our newsletter'],
    ['taxArrears', 'Tax in arrears'],
    ['softwareLicences', 'Software licences are counted every year'],
    ['licenceFees', 'Licence fees are paid on time'],
    ['lizenzkosten', 'Lizenzgebühren sind bezahlt'],
    ['licencias', 'Licencias de software al día'],
    ['licences', 'Licences de logiciels à jour'],
  ])('is none of what only counts: %s', (name, label) => {
    expect(rated(name, label, 'false', 'false', 'true').caps).toEqual([]);
  });

  it('is no number by its words', () => {
    const indicator = { ...years, name: 'since', label: 'Years since it was entered in the commercial register' };
    expect(score(indicator, { metrics: { since: 1, years: 10 } }).caps).toEqual([]);
  });
});

describe('a value that cannot be', () => {
  const impossible = (name: string, label: string, most: number, value: number) =>
    score(
      {
        ...{ name, label, weight: 1 },
        curve: [
          { value: 0, score: 0 },
          { value: most, score: 100 },
        ],
      },
      { metrics: { [name]: value } },
    ).impossibleValues.length > 0;

  it.each([
    ['termintreueProzent', 'Pünktliche Lieferungen', 98, 140],
    ['stammkundenanteil', 'Anteil der Stammkunden', 60, 120],
    ['tasaDeEntrega', 'Tasa de entregas a tiempo', 98, 130],
    ['tauxDeService', 'Taux de service', 95, 104],
    ['shareOnTime', 'Share of deliveries on time', 1, 1.2],
    ['bewertung', 'Kundenbewertung (1–5)', 4.5, 7],
    ['etoiles', 'Étoiles sur 5', 4, 6],
    ['valoracion', 'Valoración de clientes, de 0 a 10', 9, 11],
  ])('is too high: %s', (name, label, most, value) => {
    expect(impossible(name, label, most, value)).toBe(true);
    expect(impossible(name, label, most, most)).toBe(false);
  });

  it.each([
    ['umsatzwachstumProzent', 'Umsatzwachstum', 20, -8],
    ['crecimientoPct', 'Crecimiento de ventas', 20, 150],
    ['tauxDeMarge', 'Taux de marge', 25, -3],
    ['nps', 'Net promoter score', 50, -20],
  ])('is none where it may be below zero or above the whole: %s', (name, label, most, value) => {
    expect(impossible(name, label, most, value)).toBe(false);
  });

  it('is below zero in any language', () => {
    expect(impossible('ratioLiquidez', 'Ratio de liquidez', 2, -1)).toBe(true);
  });
});

describe('nothing yet', () => {
  const scoreOf = (answer: string, choices: object) =>
    score(
      { name: 'backups', label: 'Backups', weight: 1, choices },
      { answers: { backups: answer } },
    ).dimensions[0]?.drivers.find(({ indicator }) => indicator === 'backups')?.score;

  it.each(['not yet', 'noch nicht', 'nie', 'nunca', 'aún no', 'jamais', 'pas encore', 'nein', 'keine'])(
    'is said as people say it: %s',
    (answer) => {
      for (const nothing of ['no', 'none', 'never', 'missing'])
        expect(scoreOf(answer, { [nothing]: 10, daily: 100 })).toBe(10);
    },
  );

  it('is the choice itself where there are several', () => {
    const choices = { no: 10, never: 20, daily: 100 };
    expect(['nie', 'nein', 'noch nicht'].map((answer) => scoreOf(answer, choices))).toEqual([20, 10, 10]);
  });
});

it.each([
  ['grossMarginPercent', 'Gross margin in percent', 120, true],
  ['bruttomarge', 'Bruttomarge in Prozent', 101, true],
  ['margenNeto', 'Margen neto (porcentaje)', 150, true],
  ['margeBrute', 'Marge brute, pourcentage', 120, true],
  ['grossMargin', '', 120, true],
  ['Nettomarge', 'Nettomarge', 120, true],
  ['grossMargin', 'Gross margin per unit, EUR', 120, false],
  ['margeBruteEur', '', 120, false],
  ['grossMargin', '', -20, false],
  ['grossMarginPercent', 'Gross margin in percent', -20, false],
  ['markupPercent', 'Markup in percent', 120, false],
  ['revenueGrowthPercent', 'Revenue growth in percent', 140, false],
])('of the whole, nothing is more than all of it: %s, %s, %d', (name, label, value, isImpossible) => {
  const curve = [
    { value: 0, score: 0 },
    { value: 100, score: 100 },
  ];
  const reply = score({ name, label, weight: 1, curve }, { metrics: { [name]: value } });
  expect(JSON.stringify(reply).includes('cannot be above 100')).toBe(isImpossible);
});

it.each([
  [
    'en',
    'is not one of no, daily',
    'has to be a number in digits, for example 10, or 0 if there is none; leave it out if it is not known',
  ],
  [
    'de-AT',
    'gehört nicht zur Auswahl: no, daily',
    'muss eine Zahl in Ziffern sein, zum Beispiel 10, oder 0, wenn es nichts davon gibt; lassen Sie den Wert weg, wenn er nicht bekannt ist',
  ],
  [
    'es',
    'no es una de las opciones: no, daily',
    'tiene que ser un número en cifras, por ejemplo 10, o 0 si no hay; omítalo si no se conoce',
  ],
  [
    'fr',
    'ne fait pas partie des choix : no, daily',
    'doit être un nombre en chiffres, par exemple 10, ou 0 s’il n’y en a pas ; omettez-le s’il n’est pas connu',
  ],
])('a value that cannot be read is refused in the reader’s language: %s', (locale, answer, metric) => {
  const indicator = { name: 'backups', weight: 1, choices: { no: 10, daily: 100 } };
  const refusal = (given: object) => {
    const customScorecard = { name: 'own', dimensions: [{ name: 'all', indicators: [indicator, years] }] };
    const result = prepare(scoringFamily, ScoreBusinessReadinessRequestSchema, { customScorecard, locale, ...given });
    return result.ok || result.failure.kind !== 'invalid_argument' ? [] : result.failure.violations;
  };
  expect(refusal({ answers: { backups: 'perhaps' } })).toMatchObject([
    { field: 'answers.backups', description: answer },
  ]);
  expect(refusal({ metrics: { years: 'ten' } })).toMatchObject([{ field: 'metrics.years', description: metric }]);
});
