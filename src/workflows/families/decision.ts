import type { JsonValue } from '@bufbuild/protobuf';
import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { roundTo } from '../../base/round.ts';
import { foldText } from '../../base/text/fold.ts';
import { nearestName } from '../../base/text/nearest.ts';
import { spokenName } from '../../base/text/spoken-name.ts';
import { basisOf, boundJson, type Family, jsonOf, type Prepared } from '../family.ts';
import { dayAt, dayOrderOf, readDay } from '../sense/days.ts';
import { createFindUnused } from '../unused-fields.ts';
import { readColumn } from './criterion-values.ts';
import { constraintChecks, criterionChecks } from './decision-checks.ts';
import { eliminate, type ReadOption } from './decision-constraints.ts';
import { type Guess, withDirections } from './decision-directions.ts';
import { type DecisionReply, type DecisionRequest, decisionWords, writeMemo } from './decision-memo.ts';
import {
  assumptionsOf,
  firmFrom,
  nextAction,
  type Outcome,
  rationaleOf,
  risksOf,
  summaryOf,
} from './decision-texts.ts';
import { couldWin, howToLearn, missingValues, unknownConditions, unsureDirections } from './decision-unknowns.ts';
import { protectedCriteria } from './protected-criteria.ts';
import { rankOptions, type Scored, smallestChanges, verdictOn } from './weighted-sum.ts';

export type { DecisionReply, DecisionRequest } from './decision-memo.ts';

/** Turns data into a decision memo: a weighted sum, how robust the result is, and why. */
export const decisionFamily: Family<DecisionRequest, DecisionReply> = {
  name: 'decision',
  prepare(asked, { nowMs }): Result<Prepared<DecisionReply>> {
    const options = readOptions(asked);
    if (!options.ok) return options;
    const { request, guessed } = withDirections(asked, options.value);
    const wrong = wrongCriterion(request, options.value);
    if (wrong) return wrong;
    return succeed({ variables: {}, ownChecks: [], compute: () => decide(request, guessed, options.value, nowMs) });
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
    if (!option) return fail(invalid(`table.rows[${at}].cells[0]`, noSuchOption(cells[0], request.options)));
    for (const [column, cell] of cells.entries())
      if (column > 0 && cell !== null) option.values.set(columns[column] as string, cell);
  }
  return succeed([...options.values()]);
}

function noSuchOption(cell: JsonValue | undefined, options: DecisionRequest['options']): string {
  const names = options.map(({ name }) => name);
  const near = typeof cell === 'string' ? nearestName(cell, names) : undefined;
  const known = names.slice(0, 10).join(', ');
  return [
    `${JSON.stringify(cell ?? null).slice(0, 100)} is none of the options: ${known}${names.length > 10 ? ', …' : ''}`,
    ...(near === undefined ? [] : [`perhaps ${near} is meant`]),
  ].join('; ');
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
    // As numbers of any scale: on its own, a ratio scale takes a value below 0 for unknown.
    const column = options.map(({ values }) => values.get(criterion.name));
    const read = readColumn({ ...criterion, scale: '' }, column, decisionWords(request), () => {});
    const negative = options[read.findIndex((value) => value !== undefined && value < 0)];
    if (negative) return fail(invalid(`${field}.scale`, `ratio needs values from 0 up; ${negative.name} has less`));
  }
  if (request.criteria.every(({ weight }) => weight === 0))
    return fail(invalid('criteria', 'one weight at least has to be above 0'));
  return undefined;
}

function decide(
  asked: DecisionRequest,
  guessed: readonly Guess[],
  options: readonly ReadOption[],
  nowMs: number,
): DecisionReply {
  const words = decisionWords(asked);
  const protectedNames = protectedCriteria(asked);
  const unlawful = words.list(protectedNames.map(spokenName));
  // Nobody is left out by what must not decide.
  const mayDecide = (attribute: string) => !protectedNames.includes(attribute);
  const request = { ...asked, constraints: asked.constraints.filter(({ attribute }) => mayDecide(attribute)) };
  const { remaining, eliminated, undecided } = eliminate(options, request.constraints, words);
  const { ranked, unread, refused } = rankOptions(remaining, request.criteria, words);
  const changes = smallestChanges(ranked);
  const nearest = changes
    .filter(({ change }) => change !== undefined)
    .sort((a, b) => roundTo((a.change ?? 1) - (b.change ?? 1), 9))[0];
  const unused = unusedAttributes(asked);
  const unknown = missingValues(ranked, words);
  const conditions = unknownConditions(request, undecided, options, words);
  // An option that could not win even if it met all constraints changes nothing.
  const couldMeet = conditions.size > 0 && couldWin(undecided, remaining, ranked, request, words);
  const counted = confidenceOf(ranked, nearest?.change, unknown.length);
  const unsure = unsureDirections(guessed, request, remaining, ranked, words);
  const confidence = unsure.length > 0 || couldMeet ? Math.min(counted, firmFrom - 0.01) : counted;
  const tied = ranked.filter(({ rank }) => rank === 1);
  // An option left alone by constraints was compared with others; an option that was alone from the start was not.
  const alone = options.length === 1 && ranked.length === 1;
  const verdict = alone ? 'single' : verdictOn(ranked);
  const winner = verdict === 'winner' && unlawful === '' ? ranked[0] : undefined;
  const guesses = new Set(guessed.filter(({ isNamed }) => !isNamed).map(({ criterion }) => criterion));
  const late = isPast(request, nowMs);
  const hinges = words.list(unsure.map(spokenName));
  const doubts = [
    ...(winner && hinges !== '' ? [words.say('decision.hangsOn', { criterion: hinges })] : []),
    ...(couldMeet ? [words.say('decision.couldMeet', { options: undecided.map(({ name }) => name).join(', ') })] : []),
  ];
  const outcome: Outcome = {
    ranked,
    verdict,
    unknownValue: howToLearn(unknown[0], refused, unused, options, words),
    unknownCondition: couldMeet ? [...conditions.values()][0] : undefined,
    undecided: undecided.map(({ name }) => name),
    doubts,
    confidence,
    guesses,
    unsure: hinges,
    late,
    unlawful,
  };
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
      rationale: rationaleOf(outcome, eliminated.length, words),
    },
    sensitivity: changes.map(({ criterion, weight, changesAt, newWinner, change }) => ({
      criterion,
      weight: roundTo(weight, 4),
      changesAt: changesAt === undefined ? undefined : roundTo(changesAt, 4),
      newWinner,
      smallest: change !== undefined && change === nearest?.change && criterion === nearest.criterion,
    })),
    eliminated,
    risks: [
      ...(late ? [words.say('decision.deadlinePassed', { deadline: request.deadline })] : []),
      ...doubts,
      ...risksOf(ranked, winner ? verdict : 'unknown', nearest, unknown.length, guesses, words),
    ],
    assumptions: assumptionsOf(request, guessed, unread, words),
    missingFacts: [...conditions.keys(), ...unknown.slice(0, missingMax).map(({ name }) => name)].slice(0, missingMax),
    nextBestAction: nextAction(request, outcome, words),
    markdown: '',
    summary: summaryOf(outcome, tied, words),
    basis: basisOf(
      [
        ...constraintChecks(asked, options, words).filter(({ rule: { fact } }) => mayDecide(fact)),
        ...criterionChecks(ranked, words),
      ],
      'decision/weighted-sum@2',
      words,
    ),
    unusedFields: unused,
  };
  return { ...reply, markdown: writeMemo(request, reply) };
}

/** A deadline in words, such as "30 June", has no year and is never taken as past. */
function isPast({ deadline, locale }: DecisionRequest, nowMs: number): boolean {
  const day = readDay(deadline.trim(), dayOrderOf(locale));
  return day !== undefined && day.iso < dayAt(nowMs).iso;
}

const unusedMax = 100;
/** What is missing is told of the heaviest criteria first; a hundred options by fifty criteria can lack 5,000 values. */
const missingMax = 100;

/** Values given for options that no criterion or constraint uses. */
function unusedAttributes(request: DecisionRequest): DecisionReply['unusedFields'] {
  const known = new Set([
    ...request.criteria.map(({ name }) => name),
    ...request.constraints.map(({ attribute }) => attribute),
  ]);
  const unusedIn = createFindUnused(known);
  const columns = (request.table?.columns ?? []).slice(1).map((name) => [name, true] as const);
  const unused: DecisionReply['unusedFields'] = [];
  for (const [index, { attributes }] of request.options.entries()) {
    if (unused.length >= unusedMax) break;
    unused.push(...unusedIn(`options[${index}].attributes`, attributes));
  }
  return [...unused, ...unusedIn('table', Object.fromEntries(columns))].slice(0, unusedMax);
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
