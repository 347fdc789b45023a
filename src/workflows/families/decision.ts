import type { JsonValue } from '@bufbuild/protobuf';
import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { roundTo } from '../../base/round.ts';
import { foldText } from '../../base/text/fold.ts';
import { spokenName } from '../../base/text/spoken-name.ts';
import type { CheckResult } from '../checks/checks.ts';
import { basisOf, boundJson, type Family, jsonOf, type Prepared } from '../family.ts';
import { unusedFieldsOf } from '../unused-fields.ts';
import type { Words } from '../words/index.ts';
import { describeConstraint, type Eliminated, eliminate, type ReadOption } from './decision-constraints.ts';
import { type Guess, withDirections } from './decision-directions.ts';
import { type DecisionReply, type DecisionRequest, decisionWords, writeMemo } from './decision-memo.ts';
import { rankOptions, type Scored, smallestChanges, type Verdict, verdictOn } from './weighted-sum.ts';

export type { DecisionReply, DecisionRequest } from './decision-memo.ts';

/** Turns data into a decision memo: a weighted sum, how robust the result is, and why. */
export const decisionFamily: Family<DecisionRequest, DecisionReply> = {
  name: 'decision',
  prepare(asked): Result<Prepared<DecisionReply>> {
    const { request, guessed } = withDirections(asked);
    const options = readOptions(request);
    if (!options.ok) return options;
    const wrong = wrongCriterion(request, options.value);
    if (wrong) return wrong;
    return succeed({ variables: {}, ownChecks: [], compute: () => decide(request, guessed, options.value) });
  },
};

function readOptions(request: DecisionRequest): Result<ReadOption[]> {
  const options = new Map<string, { name: string; values: Map<string, JsonValue> }>();
  for (const [index, { name, attributes }] of request.options.entries()) {
    const bounded = boundJson(`options[${index}].attributes`, attributes);
    if (!bounded.ok) return bounded;
    const key = foldText(name);
    if (options.has(key)) return fail(invalid(`options[${index}].name`, `${name} is there twice`));
    options.set(key, { name, values: new Map(Object.entries(attributes ?? {})) });
  }
  for (const [at, row] of (request.table?.rows ?? []).entries()) {
    const cells = row.cells.map(jsonOf);
    const bounded = boundJson(`table.rows[${at}]`, cells);
    if (!bounded.ok) return bounded;
    const columns = request.table?.columns ?? [];
    if (cells.length > columns.length)
      return fail(invalid(`table.rows[${at}]`, 'has more cells than there are columns'));
    const option = options.get(foldText(String(cells[0] ?? '')));
    if (!option) return fail(invalid(`table.rows[${at}].cells[0]`, 'does not name one of the options'));
    for (const [column, cell] of cells.entries())
      if (column > 0 && cell !== null) option.values.set(columns[column] as string, cell);
  }
  return succeed([...options.values()]);
}

function wrongCriterion(request: DecisionRequest, options: readonly ReadOption[]): ReturnType<typeof fail> | undefined {
  const names = new Set<string>();
  for (const [index, criterion] of request.criteria.entries()) {
    const field = `criteria[${index}]`;
    if (names.has(criterion.name)) return fail(invalid(`${field}.name`, `${criterion.name} is there twice`));
    names.add(criterion.name);
    if (criterion.min !== undefined && criterion.max !== undefined && criterion.min >= criterion.max)
      return fail(invalid(`${field}.max`, 'has to be greater than min'));
    if (criterion.scale !== 'ratio') continue;
    const negative = options.find(({ values }) => Number(values.get(criterion.name) ?? 0) < 0);
    if (negative) return fail(invalid(`${field}.scale`, `ratio needs values from 0 up; ${negative.name} has less`));
  }
  if (request.criteria.every(({ weight }) => weight === 0))
    return fail(invalid('criteria', 'one weight at least has to be above 0'));
  return undefined;
}

// Below this, the next step is to agree on what counts, not to decide.
const firmFrom = 0.4;

function decide(request: DecisionRequest, guessed: readonly Guess[], options: readonly ReadOption[]): DecisionReply {
  const words = decisionWords(request);
  const { remaining, eliminated } = eliminate(options, request.constraints, words);
  const { ranked, unread, refused } = rankOptions(remaining, request.criteria, words);
  const changes = smallestChanges(ranked);
  const nearest = changes
    .filter(({ change }) => change !== undefined)
    .sort((a, b) => roundTo((a.change ?? 1) - (b.change ?? 1), 9))[0];
  const unknown = missingValues(ranked, words);
  const missing = unknown.map(({ name }) => name);
  const unreadable = refused.get(unknown[0]?.criterion ?? '');
  const counted = confidenceOf(ranked, nearest?.change, missing.length);
  const unsure = guessed.find((guess) => hangsOn(guess, request, remaining, ranked, words));
  const confidence = unsure ? Math.min(counted, firmFrom - 0.01) : counted;
  const tied = ranked.filter(({ rank }) => rank === 1);
  // An option left alone by constraints was compared with others; an option that was alone from the start was not.
  const verdict = options.length === 1 && ranked.length === 1 ? 'single' : verdictOn(ranked);
  const winner = verdict === 'winner' ? ranked[0] : undefined;
  const reply: DecisionReply = {
    ranking: ranked.map(({ option, rank, score, criteria }) => ({
      rank,
      option,
      score: roundTo(score, 2),
      criteria: criteria.map((one) => ({
        criterion: one.criterion,
        value: one.value,
        score: roundTo(one.score, 2),
        weight: roundTo(one.weight, 4),
        contribution: roundTo(one.score * one.weight, 2),
      })),
    })),
    recommendation: {
      option: winner?.option ?? '',
      confidence: winner ? confidence : 0,
      rationale: rationaleOf(ranked, eliminated.length, verdict, words),
    },
    sensitivity: changes.map(({ criterion, weight, changesAt, newWinner, change }) => ({
      criterion,
      weight: roundTo(weight, 4),
      changesAt: changesAt === undefined ? undefined : roundTo(changesAt, 4),
      newWinner,
      smallest: change !== undefined && change === nearest?.change && criterion === nearest.criterion,
    })),
    eliminated: eliminated.map(({ option, constraint, reason }) => ({ option, constraint, reason })),
    risks: risksOf(ranked, verdict, nearest, missing, words),
    assumptions: assumptionsOf(request, guessed, unread, words),
    missingFacts: missing,
    nextBestAction: nextAction(request, { ranked, verdict, missing, unreadable, confidence, unsure }, words),
    markdown: '',
    summary: summaryOf(ranked, tied, verdict, words),
    basis: basisOf(
      [...constraintChecks(request, eliminated, words), ...criterionChecks(ranked, words)],
      'decision/weighted-sum@2',
      words,
    ),
    unusedFields: unusedAttributes(request),
  };
  return { ...reply, markdown: writeMemo(request, reply) };
}

/** Whether another option would win if the guess were wrong. A direction implied by the name is taken as true. */
function hangsOn(
  { criterion, isNamed }: Guess,
  { criteria }: DecisionRequest,
  options: readonly ReadOption[],
  ranked: readonly Scored[],
  words: Words,
): boolean {
  if (isNamed || ranked.length < 2) return false;
  const turned = criteria.map((one) => (one.name === criterion ? { ...one, direction: 'lower' } : one));
  const [first] = rankOptions(options, turned, words).ranked;
  return first?.option !== ranked[0]?.option;
}

/** Values given for options that no criterion or constraint uses. */
function unusedAttributes(request: DecisionRequest): DecisionReply['unusedFields'] {
  const known = new Set([
    ...request.criteria.map(({ name }) => name),
    ...request.constraints.map(({ attribute }) => attribute),
  ]);
  const columns = (request.table?.columns ?? []).slice(1).map((name) => [name, true] as const);
  return [
    ...request.options.flatMap(({ attributes }, index) =>
      unusedFieldsOf(`options[${index}].attributes`, attributes, known),
    ),
    ...unusedFieldsOf('table', Object.fromEntries(columns), known),
  ].slice(0, 100);
}

/** The unknown values, those of the heaviest criterion first. */
function missingValues(ranked: readonly Scored[], { say }: Words): { name: string; criterion: string }[] {
  return ranked
    .flatMap(({ option, criteria }) =>
      criteria
        .filter(({ value }) => value === undefined)
        .map(({ criterion, weight }) => ({ name: say('decision.valueOf', { criterion, option }), criterion, weight })),
    )
    .sort((a, b) => b.weight - a.weight);
}

/**
 * Half from the lead over the second option (capped at 20 points), half from the smallest change of a weight that would change
 * the winner (capped at 0.25), times the share of known values.
 */
function confidenceOf(ranked: readonly Scored[], smallestChange: number | undefined, missing: number): number {
  const [first, second] = ranked;
  if (!first) return 0;
  const known = 1 - missing / (ranked.length * first.criteria.length);
  if (!second) return roundTo(0.5 * known, 2);
  const lead = Math.min(1, (first.score - second.score) / 20);
  const firm = smallestChange === undefined ? 1 : Math.min(1, smallestChange / 0.25);
  return roundTo(known * (0.5 * lead + 0.5 * (lead === 0 ? 0 : firm)), 2);
}

function rationaleOf(ranked: readonly Scored[], eliminated: number, verdict: Verdict, words: Words): string {
  const { say } = words;
  const [first, second] = ranked;
  if (!first) return say(eliminated > 0 ? 'decision.noneMeets' : 'decision.noneThere');
  if (verdict === 'single') return say('decision.single', { option: first.option });
  if (verdict === 'unknown') return say('decision.notRecommended');
  const by = gainOver(first, second, words);
  if (!second) return [say('decision.only', { option: first.option }), ...by].join(' ');
  const score = roundTo(first.score, 2);
  if (verdict === 'level') return say('decision.same', { first: first.option, second: second.option, score });
  const lead = roundTo(first.score - second.score, 2);
  return [say('decision.ahead', { first: first.option, score, lead, second: second.option }), ...by].join(' ');
}

/** The criterion on which the first option is furthest ahead of the second; for a single option, the one that gives it most points. */
function gainOver(first: Scored, second: Scored | undefined, { say }: Words): string[] {
  const ahead = first.criteria
    .map(({ criterion, score, weight }, at) => ({
      criterion,
      points: weight * (score - (second?.criteria[at]?.score ?? 0)),
    }))
    .sort((a, b) => b.points - a.points)[0];
  if (!ahead || ahead.points <= 0) return [];
  const { criterion } = ahead;
  return [
    second ? say('decision.gainsOver', { second: second.option, criterion }) : say('decision.gains', { criterion }),
  ];
}

function risksOf(
  ranked: readonly Scored[],
  verdict: Verdict,
  nearest: ReturnType<typeof smallestChanges>[number] | undefined,
  missing: readonly string[],
  { say }: Words,
): string[] {
  const risks: string[] = missing.length > 0 ? [say('decision.unknownValues', { count: missing.length })] : [];
  // The first option's weaknesses are risks of choosing it; without a winner, nothing is chosen.
  if (verdict !== 'winner') return risks;
  const [first, second] = ranked;
  if (first && second && first.score - second.score < 5)
    risks.push(say('decision.closeBehind', { second: second.option, first: first.option }));
  if (nearest?.change !== undefined && nearest.change < 0.1)
    risks.push(
      say('decision.otherWeight', {
        criterion: nearest.criterion,
        at: roundTo(nearest.changesAt ?? 0, 2),
        weight: roundTo(nearest.weight, 2),
        option: nearest.newWinner,
      }),
    );
  const weakest = first?.criteria
    .filter(({ score, weight }) => score < 25 && weight >= 0.1)
    .sort((a, b) => b.weight - a.weight)[0];
  if (first && weakest)
    risks.push(
      say('decision.weak', {
        option: first.option,
        criterion: weakest.criterion,
        percent: roundTo(weakest.weight * 100, 1),
      }),
    );
  return risks;
}

function assumptionsOf(
  request: DecisionRequest,
  guessed: readonly Guess[],
  unread: readonly string[],
  { say }: Words,
): string[] {
  const assumptions = [say('decision.independent')];
  if (request.criteria.some(({ weight }) => weight === undefined)) assumptions.push(say('decision.unweighted'));
  if (request.criteria.some(({ scale }) => scale === '' || scale === 'range')) assumptions.push(say('decision.range'));
  for (const { criterion, isLower } of guessed)
    assumptions.push(say(isLower ? 'decision.lessIsBetter' : 'decision.moreIsBetter', { criterion }));
  for (const words of unread.slice(0, 10)) assumptions.push(words);
  return assumptions;
}

interface Outcome {
  ranked: readonly Scored[];
  verdict: Verdict;
  missing: readonly string[];
  /** What is wrong with the most important missing value, if it was given but cannot be read. */
  unreadable: string | undefined;
  confidence: number;
  /** A direction that was not given and whose reversal would change the winner. */
  unsure: Guess | undefined;
}

function nextAction(
  request: DecisionRequest,
  { ranked, verdict, missing, unreadable, confidence, unsure }: Outcome,
  { say }: Words,
): string {
  const winner = ranked[0];
  if (!winner) return say('decision.relax');
  if (verdict === 'single') return say('decision.addOption');
  if (missing[0] !== undefined) return unreadable ?? say('decision.findOut', { value: missing[0] });
  if (verdict === 'level') return say('decision.tellApart');
  if (unsure) return say('decision.sayDirection', { criterion: unsure.criterion });
  if (confidence < firmFrom) return say('decision.agree');
  const { option } = winner;
  const { deadline } = request;
  return deadline === '' ? say('decision.decide', { option }) : say('decision.decideBy', { option, deadline });
}

function summaryOf(ranked: readonly Scored[], tied: readonly Scored[], verdict: Verdict, words: Words): string {
  const { say } = words;
  const winner = ranked[0];
  if (!winner) return say('decision.noneMeets');
  if (verdict === 'single') return say('decision.single', { option: winner.option });
  if (verdict === 'unknown') return say('decision.tooLittle');
  if (ranked.length === 1) return say('decision.only', { option: winner.option });
  const score = roundTo(winner.score, 2);
  if (tied.length > 1) return say('decision.level', { options: words.list(tied.map(({ option }) => option)), score });
  return say('decision.leads', { option: winner.option, score, count: ranked.length });
}

function constraintChecks(request: DecisionRequest, eliminated: readonly Eliminated[], words: Words): CheckResult[] {
  return request.constraints.map((constraint, index) => {
    const out = eliminated.filter((one) => one.index === index).map(({ option }) => option);
    const described = describeConstraint(constraint, words);
    return {
      outcome: out.length > 0 ? 'failed' : 'passed',
      rule: {
        id: `constraint-${index + 1}`,
        fact: constraint.attribute,
        pass: '',
        weight: 1,
        severity: 'medium',
        message: words.say('decision.notMetBy', { constraint: described, options: out.join(', ') }),
        action: constraint.reason,
      },
    };
  });
}

/** Whether each criterion's value is known for every option; the check's weight is the criterion's share of all weights, in percent. */
function criterionChecks(ranked: readonly Scored[], { say }: Words): CheckResult[] {
  return (ranked[0]?.criteria ?? []).map(({ criterion, weight }, at) => {
    const unknown = ranked.filter(({ criteria }) => criteria[at]?.value === undefined).map(({ option }) => option);
    return {
      outcome: unknown.length > 0 ? 'failed' : 'passed',
      rule: {
        id: `criterion-${at + 1}`,
        fact: spokenName(criterion),
        pass: '',
        weight: roundTo(weight * 100, 2),
        severity: 'medium',
        message: say('decision.notKnownOf', { criterion, options: unknown.join(', ') }),
        action: say('decision.findOut', { value: spokenName(criterion) }),
      },
    };
  });
}
