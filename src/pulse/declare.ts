import { fail, invalid, type Result, succeed } from '../base/failure.ts';
import type { Database, Queryable } from '../db/index.ts';
import { isName } from './event.ts';
import { Names } from './names.ts';
import { defaultTimeoutMs, type Plan, timeoutMsMax, timeoutMsMin } from './plan.ts';
import {
  addNames,
  ensureAccount,
  findAccount,
  lockAccount,
  readJourneyNames,
  readNames,
  readValues,
} from './pulse-store.ts';
import { plansMax, propertiesEverMax, propertiesMax, type Settings } from './settings.ts';
import { addPlan, putProperty, readSettings, settingsChanged } from './settings-store.ts';

/** A declared property and those of its values that are counted separately. */
export interface DeclaredProperty {
  name: string;
  /** In the order in which they first appeared. Values after the fiftieth count as `(other)`. */
  values: string[];
}

/**
 * Declares the event properties that reports may group and filter by, replacing those declared before. Only events from now on
 * count; what an omitted property has gathered is kept, and is added to once it is declared again.
 */
export async function declareProperties(
  db: Database,
  accountId: string,
  wanted: readonly string[],
): Promise<Result<DeclaredProperty[]>> {
  const names = [...new Set(wanted)];
  const wrong = names.findIndex((name) => !isName(name));
  if (wrong >= 0)
    return fail(
      invalid(`properties[${wrong}]`, 'must be the name of a property: 1 to 64 letters, digits or . _ : / -'),
    );
  if (names.length > propertiesMax)
    return fail(invalid('properties', `at most ${propertiesMax} properties can be declared at one time`));
  const accountNo = await ensureAccount(db, accountId);
  const done = await db.transaction(async (tx): Promise<Result<undefined>> => {
    await lockAccount(tx, accountNo);
    const { properties } = await readSettings(tx, accountNo);
    const known = new Map(properties.map((property) => [property.name, property]));
    const fresh = names.filter((name) => !known.has(name));
    if (properties.length + fresh.length > propertiesEverMax)
      return fail({
        kind: 'precondition_failed',
        description: `The account has declared ${properties.length} different properties, of at most ${propertiesEverMax}. Declare one of those again.`,
      });
    for (const { no, name, active } of properties)
      if (active !== names.includes(name)) await putProperty(tx, accountNo, { no, name, active: !active });
    for (const [i, name] of fresh.entries())
      await putProperty(tx, accountNo, { no: properties.length + i + 1, name, active: true });
    await settingsChanged(tx, accountNo);
    return succeed(undefined);
  });
  return done.ok ? succeed(await listProperties(db, accountId)) : done;
}

/** The properties declared now, in the order in which they were first declared. */
export async function listProperties(db: Database, accountId: string): Promise<DeclaredProperty[]> {
  const accountNo = await findAccount(db, accountId);
  if (accountNo === undefined) return [];
  const { properties } = await readSettings(db, accountNo);
  const names = new Names(await readValues(db, accountNo));
  return properties.filter(({ active }) => active).map(({ no, name }) => ({ name, values: names.valuesOf(no) }));
}

/** How a journey should go. */
export interface Declaration {
  journey: string;
  /** In order. Empty: the journey is not declared. */
  steps: { step: string; optional: boolean }[];
  /** How long after a session's first event the steps must be reached and the last one completed; 0: no limit. */
  windowMs: number;
  /** How long a session stays active without an event. */
  timeoutMs: number;
}

const windowMsMax = 30 * 24 * 3_600_000;
const declaredStepsMax = 50;

/**
 * Declares a journey. A session is judged by the declaration in force when its latest event was stored, so a change applies
 * only from now on. Repeating the same declaration changes nothing.
 */
export async function declareJourney(
  db: Database,
  accountId: string,
  wanted: Declaration,
): Promise<Result<Declaration>> {
  const problem = problemOf(wanted);
  if (problem) return problem;
  const accountNo = await ensureAccount(db, accountId);
  return db.transaction(async (tx): Promise<Result<Declaration>> => {
    await lockAccount(tx, accountNo);
    const named = await nameSteps(tx, accountNo, wanted);
    if (!named.ok) return named;
    const { journeyNo, numbers } = named.value;
    const settings = await readSettings(tx, accountNo);
    const newest = settings.newestPlan(journeyNo);
    const steps = wanted.steps.map(({ step, optional }) => ({ no: numbers.get(step) ?? 0, optional }));
    const plan: Plan = {
      ...{ version: (newest?.version ?? 0) + 1, steps },
      ...{ windowMs: wanted.windowMs, timeoutMs: wanted.timeoutMs },
    };
    if (newest && isSame(newest, plan)) return succeed(wanted);
    if (plan.version > plansMax)
      return fail({
        kind: 'precondition_failed',
        description: `The journey was declared ${plansMax} times; use a new name.`,
      });
    await addPlan(tx, { accountNo, journeyNo }, plan);
    await settingsChanged(tx, accountNo);
    return succeed(wanted);
  });
}

function problemOf({ journey, steps, windowMs, timeoutMs }: Declaration): Result<Declaration> | undefined {
  if (!isName(journey)) return fail(invalid('journey', 'must be 1 to 64 letters, digits, blanks or any of . _ : / -'));
  const wrong = steps.findIndex(({ step }) => !isName(step));
  if (wrong >= 0) return fail(invalid(`steps[${wrong}].step`, 'must be the name of a step, as events give it'));
  if (steps.length > declaredStepsMax)
    return fail(invalid('steps', `at most ${declaredStepsMax} steps can be declared`));
  if (new Set(steps.map(({ step }) => step)).size < steps.length)
    return fail(invalid('steps', 'must be different steps; name a step once'));
  if (steps.length > 0 && steps.every(({ optional }) => optional))
    return fail(invalid('steps', 'at least one step must not be optional: the last such step is the goal'));
  if (windowMs < 0 || windowMs > windowMsMax)
    return fail(invalid('conversionWindowSeconds', 'must be at most 2592000 (30 days), or 0 for no limit'));
  if (timeoutMs < timeoutMsMin || timeoutMs > timeoutMsMax)
    return fail(invalid('sessionTimeoutSeconds', 'must be between 60 and 86400 (a day)'));
  return undefined;
}

/** Numbers a journey and its steps before their first event. */
async function nameSteps(
  tx: Queryable,
  accountNo: number,
  { journey, steps }: Declaration,
): Promise<Result<{ journeyNo: number; numbers: ReadonlyMap<string, number> }>> {
  const names = new Names(await readNames(tx, accountNo));
  const added = names.addMissing(steps.map(({ step }) => ({ journey, step })));
  const known = names.journeys.get(journey);
  if (!known && steps.length === 0) return fail({ kind: 'not_found', resource: 'journey' });
  if (!known || steps.some(({ step }) => !known.steps.has(step)))
    return fail({
      kind: 'precondition_failed',
      description: 'The account already has 200 journeys, or the journey 100 steps. Use existing names.',
    });
  await addNames(tx, accountNo, added);
  return succeed({ journeyNo: known.no, numbers: known.steps });
}

function isSame(a: Plan, b: Plan): boolean {
  return JSON.stringify({ ...a, version: 0 }) === JSON.stringify({ ...b, version: 0 });
}

/** A journey's current declaration; without steps if it is not declared. */
export async function readDeclaration(db: Database, accountId: string, journey: string): Promise<Result<Declaration>> {
  const accountNo = await findAccount(db, accountId);
  const names = accountNo === undefined ? [] : await readJourneyNames(db, accountNo, journey);
  const known = new Names(names).journeys.get(journey);
  if (accountNo === undefined || !known) return fail({ kind: 'not_found', resource: 'journey' });
  const plan = newestOf(await readSettings(db, accountNo), known.no);
  return succeed({
    journey,
    steps: plan.steps.map(({ no, optional }) => ({ step: known.stepNames.get(no) ?? '', optional })),
    windowMs: plan.windowMs,
    timeoutMs: plan.timeoutMs,
  });
}

function newestOf(settings: Settings, journeyNo: number): Omit<Plan, 'version'> {
  return settings.newestPlan(journeyNo) ?? { steps: [], windowMs: 0, timeoutMs: defaultTimeoutMs };
}
