// Answers in the words of four languages, with all their endings.
import { describe, expect, it } from 'vitest';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { scorecards, scoringFamily } from '../../src/workflows/families/scoring.ts';
import { readChoiceWords } from '../../src/workflows/packs/scorecard-pack.ts';
import { ask, prepare } from './ask.ts';

const scoreOf = (name: string, answer: unknown) =>
  ask(scoringFamily, ScoreBusinessReadinessRequestSchema, { answers: { [name]: answer } })
    .dimensions.flatMap(({ drivers }) => drivers)
    .find(({ indicator }) => indicator === name)?.score;

function refusal(answers: object, locale = 'en') {
  const result = prepare(scoringFamily, ScoreBusinessReadinessRequestSchema, { answers, locale });
  return result.ok || result.failure.kind !== 'invalid_argument' ? [] : result.failure.violations;
}

describe.each([...scorecards])('the choices of %s', (card, { dimensions }) => {
  const words = readChoiceWords()[card] ?? {};
  const indicators = dimensions
    .flatMap((one) => one.indicators)
    .filter(({ choices }) => Object.keys(choices).length > 0);

  it.each(indicators.map(({ name, choices }) => [name, choices] as const))(
    'are answered by what they are called in every language: %s',
    (name, choices) => {
      expect(Object.keys(words[name] ?? {}).sort()).toEqual(Object.keys(choices).sort());
      for (const [choice, points] of Object.entries(choices))
        for (const language of ['en', 'de', 'es', 'fr'] as const) {
          const called = [choice, ...(words[name]?.[choice]?.[language] ?? [])];
          expect(called.length).toBeGreaterThan(1);
          for (const one of called) expect([one, scoreOf(name, one)]).toEqual([one, points]);
        }
    },
  );

  it('are no others’', () => {
    const known = new Map(indicators.map(({ name, choices }) => [name, Object.keys(choices)]));
    for (const [name, choices] of Object.entries(words))
      expect(known.get(name)).toEqual(expect.arrayContaining(Object.keys(choices)));
  });
});

describe('an answer', () => {
  it.each([
    ['backups', 75, ['quotidiennes', 'Quotidienne', 'tägliche', 'täglichen', 'diarias', 'journalières', 'every day']],
    ['backups', 75, ['daily backups', 'Sauvegardes quotidiennes', 'copias de seguridad diarias', 'tägliche Backups']],
    ['backups', 45, ['hebdomadaires', 'semanales', 'wöchentliche']],
    ['backups', 0, ['keine Backups', 'no backups', 'aucune sauvegarde']],
    ['goalsReviewed', 100, ['mensuelles', 'Mensuels', 'monatliche', 'every month']],
    ['dataProtection', 80, ['documentées', 'dokumentierte', 'documentados']],
    ['founderDependence', 15, ['élevées', 'hohe', 'altas']],
    ['marketEvidence', 65, ['Lettre d’intention', 'carta de intenciones', 'Absichtserklärung']],
    ['booksUpToDate', 100, ['daily', 'täglich', 'quotidienne', 'a diario']],
    ['goalsReviewed', 100, ['weekly', 'wöchentlich', 'semanal', 'hebdomadaire']],
    ['licencesHeld', 100, ['keine Genehmigungen nötig', 'pas nécessaires', 'yes', 'todas']],
  ])('is read with its endings: %s, %d', (name, points, texts) => {
    for (const text of texts) expect([text, scoreOf(name, text)]).toEqual([text, points]);
  });

  it('is not known where people say so', () => {
    for (const text of ['unknown', 'n/a', 'weiß nicht', 'no sé', 'je ne sais pas', ''])
      expect([text, scoreOf('backups', text)]).toEqual([text, undefined]);
  });

  it.each([
    ['backups', 'nicht täglich'],
    ['backups', 'yes'],
    ['taxesPaid', 'paid, but not all'],
    ['licencesHeld', 'no missing'],
    ['processesDocumented', 'not all processes'],
  ])('is not what it denies, nor a guess: %s, %s', (name, text) => {
    expect(refusal({ [name]: text })).toHaveLength(1);
  });

  it('that says more than a choice is not guessed, but the choice is suggested', () => {
    expect(refusal({ registered: 'Ja, seit 2012' }, 'de')[0]?.description).toContain('vielleicht ist ja gemeint');
  });

  it('that can mean two choices is asked for', () => {
    for (const text of ['none', 'keine', 'ninguna', 'aucune'])
      expect(refusal({ licencesHeld: text })[0]?.description).toContain('perhaps missing / not_needed is meant');
  });

  it.each([
    ['en', 'is not one of restored_in_test, daily, weekly, none; perhaps daily is meant'],
    [
      'de',
      'gehört nicht zur Auswahl: zur Probe wiederhergestellt, täglich, wöchentlich, keine; vielleicht ist täglich gemeint',
    ],
    [
      'es',
      'no es una de las opciones: restauradas en una prueba, diarias, semanales, ninguna; quizá se refiera a diarias',
    ],
    [
      'fr',
      'ne fait pas partie des choix : restaurées lors d’un essai, quotidiennes, hebdomadaires, aucune ; peut-être vouliez-vous dire quotidiennes',
    ],
  ])('that is none is refused with all others, and the nearest: %s', (locale, description) => {
    expect(refusal({ backups: 'qoutidiennes', goalsReviewed: '7 times' }, locale)).toMatchObject([
      { field: 'answers.goalsReviewed' },
      { field: 'answers.backups', description },
    ]);
  });
});
