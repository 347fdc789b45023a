import type { JsonValue } from '@bufbuild/protobuf';
import type { Caller } from '../../base/caller.ts';
import { type Failure, fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { present } from '../../base/present.ts';
import type { Basis } from '../../gen/intelligence/workflow/v1/basis_pb.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { objectIn } from '../assist/answer.ts';
import { type Asked, askAndJudge, type Judged, missed, type QuotedAsk } from '../assist/ask.ts';
import { planCustom } from '../assist/custom.ts';
import type { AssistDeps } from '../assist/deps.ts';
import { noteOf, problemText } from '../assist/notes.ts';
import type { AskingTerms } from '../assistant.ts';
import { type ChargeDeps, chargedRun, type Paid, type WorkflowCall } from '../charged-run.ts';
import { basisOf, boundJson, type Plain } from '../family.ts';
import { judgementText } from '../judgement.ts';
import type { CustomRun } from './definition.ts';
import { definitionWords } from './definition-words.ts';
import { type ActiveDefinition, type Definitions, runRules, type WorkflowName } from './index.ts';
import { type ToldResults, toldProblem } from './sample-results.ts';

export interface CustomReply {
  output: JsonValue;
  basis: Plain<Basis>;
}

export interface CustomDeps extends ChargeDeps, AssistDeps {
  definitions: Definitions;
  sandbox: Sandbox;
  told: ToldResults;
}

/** A client's request to run its workflow on an input. */
export type CustomRequest = WorkflowName & { input: JsonValue };

/** A request whose rules have been computed, and the model that adds the rest. */
interface PlannedRun {
  active: ActiveDefinition;
  byRules: Extract<CustomRun, { ok: true }>;
  /** Undefined: no model will be asked. */
  plan: QuotedAsk | undefined;
}

/**
 * The part of a run that costs nothing: find the definition, compute its rules, and quote a model. Fails with
 * `invalid_argument`, `not_found`, `precondition_failed`, and like the sandbox.
 */
export async function planRun(deps: CustomDeps, caller: Caller, request: CustomRequest): Promise<Result<PlannedRun>> {
  const bounded = boundJson('input', request.input);
  if (!bounded.ok) return bounded;
  const found = await deps.definitions.active(caller, request);
  if (!found.ok) return found;
  const { definition, rules } = found.value;
  const ran = await runRules(deps.sandbox, caller, rules, request.input, 'input');
  if (!ran.ok) return ran;
  const byRules = ran.value;
  if (!byRules.ok) {
    // What does not fit in the input is the caller's own; anything else may name what was computed.
    const isOwn = /^input\b/.test(byRules.field);
    const problem = isOwn ? byRules.problem : toldProblem(deps.told, caller.accountId ?? '', byRules.problem);
    return fail(invalid(byRules.field, problem));
  }
  const plan = await planCustom(deps, caller, definition, request.input, byRules.output);
  return plan.ok ? succeed({ active: found.value, byRules, plan: plan.value }) : plan;
}

/**
 * Runs a client's workflow: the input must fit its schema, rules compute what they can, a model adds the rest if the
 * definition wants one, and the output must fit its schema or the run fails.
 */
export async function runWorkflow(
  deps: CustomDeps,
  caller: Caller,
  request: CustomRequest,
  call: WorkflowCall,
): Promise<Result<Paid<CustomReply>>> {
  return chargedRun(deps, caller, call, {
    family: 'custom',
    plan: async () => {
      const planned = await planRun(deps, caller, request);
      if (!planned.ok) return planned;
      const { plan, byRules } = planned.value;
      const isSurelyPaid = plan === undefined || (byRules.fits && !needsModel(planned.value));
      const admitted = isSurelyPaid ? succeed(undefined) : deps.unpaid.may(caller.accountId ?? '');
      if (!admitted.ok) return admitted;
      return succeed({
        modelCeiling: plan?.ceiling ?? 0n,
        modelMinimum: needsModel(planned.value) ? (plan?.minimum ?? 0n) : 0n,
        make: (budget) => makeReply(deps, caller, request, planned.value, { budget, signal: call.signal }),
      });
    },
    evidence: (reply) => (deps.keepJudgements ? judgementText('custom', reply) : undefined),
    store: (reply) => Buffer.from(JSON.stringify(reply)),
    restore: (bytes) => JSON.parse(Buffer.from(bytes).toString('utf8')) as ReturnType<typeof JSON.parse>,
  });
}

async function makeReply(
  deps: CustomDeps,
  caller: Caller,
  request: CustomRequest,
  { active, byRules, plan }: PlannedRun,
  terms: AskingTerms,
): Promise<{ result: Result<CustomReply>; model: string }> {
  const { definition, rules } = active;
  const words = definitionWords(definition);
  const label = `${definition.client}/${definition.workflow}@${definition.version}`;
  const replyOf = (output: JsonValue, by: string, note: string): CustomReply => ({
    output,
    basis: {
      ...basisOf(byRules.checks, label, words),
      evaluator: by === '' ? 'rules' : 'assisted',
      model: by,
      note,
    },
  });
  // What rules compute always wins; the model supplies the rest of the output, and the whole must fit the schema.
  const fill = async (answer: string, input: JsonValue): Promise<Judged<JsonValue>> => {
    const drafted = objectIn(answer);
    if (!drafted.ok) return drafted;
    const again = await runRules(deps.sandbox, caller, rules, input, 'input', drafted.output);
    if (!again.ok || !again.value.ok) return missed('content', 'the rules could not be run');
    const { fits, problem, output } = again.value;
    return fits ? { ok: true, output: output as JsonValue } : missed('schema', problem, problem);
  };
  const filled = await askAndJudge(deps, plan, caller, terms, (answer) => fill(answer, request.input));
  const { model } = filled;
  if (filled.refused) return { result: fail(filled.refused), model };
  const note = noteOf(filled, undefined, words.language);
  if (filled.output !== undefined) return { result: succeed(replyOf(filled.output, model, note)), model };
  if (needsModel({ active }))
    // Only the account can fix its own provider key; sending the request again does not help.
    return filled.failure?.kind === 'provider_key_refused'
      ? { result: fail(filled.failure), model }
      : { result: fail(withoutAnswer(filled)), model };
  if (!byRules.fits) {
    const problem = toldProblem(deps.told, caller.accountId ?? '', byRules.problem);
    return { result: fail({ kind: 'precondition_failed', description: `By rules alone, ${problem}.` }), model };
  }
  return { result: succeed(replyOf(byRules.output as JsonValue, '', note)), model };
}

/** No model answered, or no answer was valid. */
function withoutAnswer({ outcome, problem }: Asked<JsonValue>): Failure {
  const misfit = outcome === 'missed' ? problemText(problem, 'en') : undefined;
  return { kind: 'upstream_failed', attempts: [], upstream: "workflow's model", ...present({ misfit }) };
}

/** Whether the workflow needs a model's answer to have a reply. */
function needsModel({ active }: Pick<PlannedRun, 'active'>): boolean {
  return active.definition.assist === 'required';
}
