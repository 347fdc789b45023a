import type { Caller } from '../base/caller.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { fail, type Result, succeed } from '../base/failure.ts';
import type { NanoUsd } from '../base/money.ts';
import { inTurns, unitsOfATurn } from '../base/slices.ts';
import { createPace, type Pace } from '../base/turn.ts';
import type { WorkflowUsage } from '../gen/intelligence/workflow/v1/basis_pb.ts';
import type { PatternUse, Sandbox } from '../sandbox/index.ts';
import type { Assistable, AssistDeps } from './assist/deps.ts';
import { type AssistPlan, assist, mayAssist, planAssist, quoteLongest } from './assist/index.ts';
import { type ChargeDeps, chargedRun, type Paid, type WorkflowCall } from './charged-run.ts';
import type { CheckResult } from './checks/checks.ts';
import type { RunnableFamily } from './families.ts';
import { checkOf, type Evidence, type FamilyReply, type PatternFits, type Plain, type Prepared } from './family.ts';
import { judgementText } from './judgement.ts';
import type { OwnPacks } from './own-packs/index.ts';
import type { OwnRules, WantedPacks } from './own-packs/rules.ts';

export interface RunDeps extends ChargeDeps, AssistDeps {
  sandbox: Sandbox;
  clock?: Clock;
  /** Accounts' own risk packs; absent: there are none. */
  ownPacks?: Pick<OwnPacks, 'of'> | undefined;
}

/** A request whose rules have been computed, and the model that may add to the reply. */
interface PlannedRequest<Reply> {
  byRules: Reply;
  /** Undefined: no model will be asked. */
  plan: AssistPlan<Reply> | undefined;
}

interface Planning {
  signal: AbortSignal;
  pace: Pace;
}

/**
 * Reads a request and runs the caller's own checks: everything that may be refused. Fails with `invalid_argument`, and like
 * the sandbox.
 */
async function readRequest<Request extends Assistable, Reply extends FamilyReply>(
  deps: RunDeps,
  { family }: RunnableFamily<Request, Reply>,
  caller: Caller,
  request: Request,
  { signal, pace }: Planning,
): Promise<Result<{ prepared: Prepared<Reply>; own: CheckResult[] }>> {
  const fits = await matchOwnPatterns(deps.sandbox, caller, family.patternsOf?.(request) ?? []);
  if (!fits.ok) return fits;
  const characters = charactersIn(request);
  if (characters > longCharacters) {
    await pace(characters);
    if (signal.aborted) return fail({ kind: 'cancelled' });
  }
  const ownPacks = await selectOwnPacks(deps, caller, family.ownPacksOf?.(request));
  if (!ownPacks.ok) return ownPacks;
  const nowMs = (deps.clock ?? systemClock).now();
  const terms = { nowMs, fits: fits.value, ownPacks: ownPacks.value };
  const prepared = await inTurns(family.prepare(request, terms), pace);
  if (!prepared.ok) return prepared;
  const own = await runOwnChecks(deps.sandbox, caller, prepared.value);
  return own.ok ? succeed({ prepared: prepared.value, own: own.value }) : own;
}

/**
 * The part of a request that costs nothing: read it, run the caller's own checks, compute the rules, and quote a model. Fails
 * with `invalid_argument`, and like the sandbox.
 */
async function planFamily<Request extends Assistable, Reply extends FamilyReply>(
  deps: RunDeps,
  entry: RunnableFamily<Request, Reply>,
  caller: Caller,
  request: Request,
  signal: AbortSignal,
): Promise<Result<PlannedRequest<Reply>>> {
  const pace = createPace(unitsOfATurn);
  const read = await readRequest(deps, entry, caller, request, { signal, pace });
  if (!read.ok) return read;
  const { prepared, own } = read.value;
  const byRules = await inTurns(prepared.compute(own), pace);
  if (signal.aborted) return fail({ kind: 'cancelled' });
  const { reconsider } = prepared;
  const again = reconsider && ((evidence: Evidence) => inTurns(reconsider(own, evidence), pace));
  return succeed({ byRules, plan: await planAssist(deps, entry.family.name, caller, request, byRules, again) });
}

/**
 * The most that a model may cost for a request; undefined if none would be asked. A long request is not judged for this: the
 * model's material is then assumed to have its maximum length. Fails like `planFamily`.
 */
export async function quoteFamily<Request extends Assistable, Reply extends FamilyReply>(
  deps: RunDeps,
  entry: RunnableFamily<Request, Reply>,
  caller: Caller,
  request: Request,
  signal: AbortSignal,
): Promise<Result<NanoUsd | undefined>> {
  const pace = createPace(unitsOfATurn);
  const read = await readRequest(deps, entry, caller, request, { signal, pace });
  if (!read.ok) return read;
  const { name } = entry.family;
  if (!mayAssist(deps, name, request)) return succeed(undefined);
  if (charactersIn(request) > longCharacters) return succeed(await quoteLongest(deps, name, caller, request));
  const { prepared, own } = read.value;
  const byRules = await inTurns(prepared.compute(own), pace);
  const plan = await planAssist(deps, name, caller, request, byRules, undefined);
  return succeed(plan?.ask?.ceiling);
}

/**
 * One request of a family: plan it, hold, let a model add what is valid, store what must be stored, settle. Fails like
 * `planFamily` and `chargedRun`.
 */
export async function runFamily<Request extends Assistable, Reply extends FamilyReply>(
  deps: RunDeps,
  entry: RunnableFamily<Request, Reply>,
  caller: Caller,
  request: Request,
  call: WorkflowCall,
  keep: (reply: Reply, chargeId: string) => Promise<Reply> = async (reply) => reply,
): Promise<Result<Paid<Reply>>> {
  const { family, store, restore } = entry;
  return chargedRun(deps, caller, call, {
    family: family.name,
    plan: async () => {
      const planned = await planFamily(deps, entry, caller, request, call.signal);
      if (!planned.ok) return planned;
      const { byRules, plan } = planned.value;
      return succeed({
        modelCeiling: plan?.ask?.ceiling ?? 0n,
        make: async (budget) => {
          const terms = { budget, signal: call.signal };
          const { result, model } = await assist(deps, plan, caller, byRules, terms);
          return { result: result.ok ? succeed(await keep(result.value, budget.chargeId)) : result, model };
        },
      });
    },
    evidence: (reply) => (deps.keepJudgements ? judgementText(family.name, reply) : undefined),
    store,
    // The stored reply includes its usage.
    restore: (bytes) => restore(bytes) as Reply & { usage: Plain<WorkflowUsage> },
  });
}

/** From this length on, judging may take several milliseconds of the event loop. */
const longCharacters = 8_000;

/** How much text a request has, up to what fills a turn. */
function charactersIn(request: object): number {
  const unseen: object[] = [request];
  let characters = 0;
  for (let next = unseen.pop(); next !== undefined; next = unseen.pop())
    for (const value of Object.values(next)) {
      if (typeof value === 'string') characters += value.length;
      else if (typeof value === 'object' && value !== null) unseen.push(value);
      if (characters >= unitsOfATurn) return unitsOfATurn;
    }
  return characters;
}

/** The account's own packs that a request names. A missing one is an error, because its phrases would not be searched for. */
async function selectOwnPacks(
  { ownPacks }: RunDeps,
  { accountId = '' }: Caller,
  wanted: WantedPacks | undefined,
): Promise<Result<OwnRules | undefined>> {
  if (!wanted) return succeed(undefined);
  const ofAccount = await ownPacks?.of(accountId);
  const { rules, missing } = ofAccount?.select(wanted) ?? { rules: undefined, missing: wanted.packs };
  if (missing.length === 0) return succeed(rules);
  const violations = missing.map((packId) => ({
    field: `packs[${wanted.packs.indexOf(packId)}]`,
    description: `The account has no risk pack ${packId}; GET /v1/risk-packs lists those that it has`,
  }));
  return fail({ kind: 'invalid_argument', violations });
}

async function matchOwnPatterns(
  sandbox: Sandbox,
  caller: Caller,
  patterns: readonly PatternUse[],
): Promise<Result<PatternFits | undefined>> {
  if (patterns.length === 0) return succeed(undefined);
  const answer = await sandbox.run(
    caller.accountId ?? '',
    'patterns',
    { patterns },
    { field: 'form.fields', user: caller.token?.subject },
  );
  if (!answer.ok) return answer;
  const { value } = answer;
  const key = (pattern: string, text: string) => `${pattern}\n${text}`;
  const known = new Map(patterns.map(({ pattern, text }, index) => [key(pattern, text), value.fits[index] === true]));
  return succeed((pattern, text) => known.get(key(pattern, text)) === true);
}

async function runOwnChecks<Reply>(
  sandbox: Sandbox,
  caller: Caller,
  { ownChecks, variables }: Prepared<Reply>,
): Promise<Result<CheckResult[]>> {
  if (ownChecks.length === 0) return succeed([]);
  const job = { checks: ownChecks.map(checkOf), variables };
  const answer = await sandbox.run(caller.accountId ?? '', 'checks', job, {
    field: 'checks',
    user: caller.token?.subject,
  });
  if (!answer.ok) return answer;
  const { outcomes } = answer.value;
  return succeed(ownChecks.map((rule, index) => ({ rule, outcome: outcomes[index] ?? 'error' })));
}
