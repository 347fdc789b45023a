import { create, fromJson, type JsonObject, type JsonValue, toJson } from '@bufbuild/protobuf';
import { timestampFromMs } from '@bufbuild/protobuf/wkt';
import type { Caller } from '../../base/caller.ts';
import type { Clock } from '../../base/clock.ts';
import { fail, invalid, type Result, succeed } from '../../base/failure.ts';
import { newId } from '../../base/ids.ts';
import { makePage, type Page, type PageRequest, readPageRequest } from '../../base/page.ts';
import { type Database, lockQuota, type Transactional } from '../../db/index.ts';
import { type WorkflowDefinition, WorkflowDefinitionSchema } from '../../gen/intelligence/workflow/v1/definition_pb.ts';
import type { Sandbox } from '../../sandbox/index.ts';
import { boundJson, checkOf, jsonOf, ownRules, type Plain } from '../family.ts';
import type { CustomDefinition, CustomRun } from './definition.ts';
import { definitionWords } from './definition-words.ts';
import { createDefinitionsStore, type DefinitionName, type DefinitionSummary } from './definitions-store.ts';
import { type DefinitionQuotas, fullOf, quotasDefault, whyKept } from './quotas.ts';
import { differenceIn, type ToldResults, toldProblem, valueAt, wordsOf } from './sample-results.ts';

/** Clients' own workflows: immutable versions, each proven by its samples before it is created. */
export interface Definitions {
  /**
   * Proves a definition by running its samples, which takes as long as they do; writes nothing. Fails with `invalid_argument`
   * naming what is wrong: a schema, an expression, or a sample with the wrong result.
   */
  prove(caller: Caller, definition: Plain<WorkflowDefinition>): Promise<Result<ProvenDefinition>>;
  /**
   * Creates a new version from a proven definition. Fails with `precondition_failed` if the account's quota is used up.
   * `within`: the enclosing transaction; absent: it runs in its own.
   */
  create(proven: ProvenDefinition, within?: Transactional): Promise<Result<WorkflowDefinition>>;
  /** One version; by default the newest active one, or the newest if none is active. */
  find(caller: Caller, name: WorkflowName): Promise<Result<WorkflowDefinition>>;
  /** The newest version of each workflow; only the basic fields, unless `view` is `full`. */
  list(
    caller: Caller,
    request: PageRequest & { client: string; view: string },
  ): Promise<Result<Page<WorkflowDefinition>>>;
  /** Retires a version, or all of them. Repeating it changes nothing. */
  retire(caller: Caller, name: WorkflowName, within?: Transactional): Promise<Result<WorkflowDefinition>>;
  /** Deletes what is retired: one version other than the newest, or the workflow with all its versions. */
  remove(caller: Caller, name: WorkflowName, within?: Transactional): Promise<Result<void>>;
  /** The version to run: the requested one, if it is active, or the newest active one. */
  active(caller: Caller, name: WorkflowName): Promise<Result<ActiveDefinition>>;
}

/** A definition whose samples give the required results. */
export interface ProvenDefinition {
  name: DefinitionName;
  /** JSON. */
  content: string;
}

export interface WorkflowName {
  client: string;
  workflow: string;
  version?: number | undefined;
}

export interface ActiveDefinition {
  definition: WorkflowDefinition;
  rules: CustomDefinition;
}

export function createDefinitions(deps: {
  db: Database;
  clock: Clock;
  sandbox: Sandbox;
  told: ToldResults;
  quotas?: Partial<DefinitionQuotas>;
}): Definitions {
  const { db, clock, sandbox, told } = deps;
  const quotas = { ...quotasDefault, ...deps.quotas };
  const store = createDefinitionsStore(db);

  return {
    async prove(caller, definition) {
      const problem = contradictionIn(definition);
      if (problem) return fail(problem);
      const accountId = accountOf(caller);
      const proven = await runSamples(sandbox, told, caller, definition);
      if (!proven.ok) return proven;
      const name = { accountId, client: definition.client, workflow: definition.workflow };
      const message = create(WorkflowDefinitionSchema, {
        ...(definition as WorkflowDefinition),
        version: 0,
        state: '',
        createTime: undefined,
        sizeBytes: 0,
      });
      return succeed({ name, content: JSON.stringify(toJson(WorkflowDefinitionSchema, message)) });
    },

    async create({ name, content }, within = db) {
      return within.transaction(async (tx): Promise<Result<WorkflowDefinition>> => {
        await lockQuota(tx, name.accountId, 'workflow-definitions');
        const inside = createDefinitionsStore(tx);
        const newest = await inside.lock(name);
        const bytes = Buffer.byteLength(content);
        const full = fullOf(quotas, await inside.count(name), { isNew: newest === undefined, bytes });
        if (full !== undefined) return fail({ kind: 'precondition_failed', description: full });
        const row = { version: (newest ?? 0) + 1, versionId: newId('wfv'), content, createdMs: clock.now() };
        await inside.insertVersion(name, row, newest === undefined);
        return succeed(messageOf({ ...row, bytes, retiredMs: undefined }));
      });
    },

    async find(caller, { client, workflow, version }) {
      const row = await store.find({ accountId: accountOf(caller), client, workflow }, version);
      return row ? succeed(messageOf(row)) : notFound(client, workflow);
    },

    async list(caller, { client, view, ...request }) {
      const accountId = accountOf(caller);
      const start = readPageRequest(`definitions ${client}`, request);
      if (!start.ok) return start;
      const { size, after } = start.value;
      const isFull = view === 'full';
      // One snapshot for both reads, so that nothing is missing from the second.
      return db.snapshot(async (moment) => {
        const at = createDefinitionsStore(moment);
        const rows = await at.list({ accountId, client, after, limit: size + 1 });
        const bytesOf = isFull ? ({ bytes }: DefinitionSummary) => bytes : undefined;
        const page = makePage(`definitions ${client}`, start.value, rows, ({ versionId }) => versionId, { bytesOf });
        const contents = isFull ? await at.contents(accountId, page.items) : undefined;
        const items = page.items.map((row) => {
          const content = contents?.get(row.versionId);
          return content === undefined ? summaryMessageOf(row) : messageOf({ ...row, content });
        });
        return succeed({ items, nextPageToken: page.nextPageToken });
      });
    },

    async retire(caller, { client, workflow, version }, within = db) {
      const name = { accountId: accountOf(caller), client, workflow };
      const inside = createDefinitionsStore(within);
      if ((await inside.find(name, version)) === undefined) return notFound(client, workflow);
      await inside.retire(name, version, clock.now());
      const row = await inside.find(name, version);
      return row ? succeed(messageOf(row)) : notFound(client, workflow);
    },

    async remove(caller, { client, workflow, version }, within = db) {
      const name = { accountId: accountOf(caller), client, workflow };
      return within.transaction(async (tx): Promise<Result<void>> => {
        const inside = createDefinitionsStore(tx);
        const newest = await inside.lock(name);
        const versions = await inside.versions(name);
        const asked = version === undefined ? versions : versions.filter((row) => row.version === version);
        if (newest === undefined || asked.length === 0) return notFound(client, workflow);
        const problem = whyKept(asked, version === undefined ? undefined : newest);
        if (problem !== undefined) return fail({ kind: 'precondition_failed', description: problem });
        await inside.remove(name, version);
        return succeed(undefined);
      });
    },

    async active(caller, { client, workflow, version }) {
      const row = await store.find({ accountId: accountOf(caller), client, workflow }, version);
      if (!row) return notFound(client, workflow);
      if (row.retiredMs !== undefined)
        return fail({ kind: 'precondition_failed', description: `The workflow ${client}/${workflow} is retired.` });
      const definition = messageOf(row);
      return succeed({ definition, rules: rulesOf(definition, row.versionId) });
    },
  };
}

/** What a sandbox needs to know about a definition. */
export function rulesOf(definition: Plain<WorkflowDefinition>, id: string | undefined): CustomDefinition {
  return {
    id,
    inputSchema: definition.inputSchema ?? {},
    outputSchema: definition.outputSchema ?? {},
    checks: ownRules(definition.checks, definitionWords(definition)),
    fields: definition.fields.map(({ name, expression }) => ({ name, expression })),
  };
}

function contradictionIn(definition: Plain<WorkflowDefinition>): ReturnType<typeof invalid> | undefined {
  for (const field of ['inputSchema', 'outputSchema'] as const) {
    const bounded = boundJson(`definition.${field}`, definition[field]);
    if (!bounded.ok) return bounded.failure;
  }
  for (const [index, { input, expect }] of definition.samples.entries()) {
    const bounded = boundJson(`definition.samples[${index}]`, [jsonOf(input), expect ?? {}]);
    if (!bounded.ok) return bounded.failure;
  }
  for (const [list, key] of [
    ['checks', 'id'],
    ['fields', 'name'],
  ] as const) {
    const names = (definition[list] as readonly { id?: string; name?: string }[]).map((one) => one[key]);
    const twice = names.findIndex((name, index) => names.indexOf(name) < index);
    if (twice >= 0) return invalid(`definition.${list}[${twice}].${key}`, `${names[twice]} is there twice`);
  }
  const lost = definition.fields.findIndex(({ name }) => name === '__proto__');
  if (lost >= 0)
    return invalid(`definition.fields[${lost}].name`, 'is a name that no schema can describe; take another');
  if (definition.assist === 'required' && definition.instructions.trim() === '')
    return invalid('definition.instructions', 'are needed when a model is required');
  return undefined;
}

/** Compiles everything and runs each sample, in a place where it can be stopped. */
async function runSamples(
  sandbox: Sandbox,
  told: ToldResults,
  caller: Caller,
  definition: Plain<WorkflowDefinition>,
): Promise<Result<void>> {
  const owner = accountOf(caller);
  const rules = rulesOf(definition, undefined);
  const compiled = await runRules(sandbox, caller, rules, null, 'definition');
  if (!compiled.ok) return compiled;
  // Unless a model is required, rules alone must produce a complete output.
  const mustFit = definition.assist !== 'required';
  for (const [index, { input, expect }] of definition.samples.entries()) {
    const field = `definition.samples[${index}]`;
    const ran = await runRules(sandbox, caller, rules, jsonOf(input), field);
    if (!ran.ok) return ran;
    const outcome = ran.value;
    if (!outcome.ok) return fail(invalid(`${field}.${outcome.field}`, toldProblem(told, owner, outcome.problem)));
    if (mustFit && !outcome.fits) {
      const problem = toldProblem(told, owner, outcome.problem);
      return fail(invalid(field, `yields what does not fit the output schema: ${problem}`));
    }
    for (const [name, wanted] of Object.entries(expect ?? {})) {
      const difference = differenceIn(valueAt(outcome.output, name), wanted, `${field}.expect.${name}`);
      if (difference) return fail(invalid(difference.path, wordsOf(difference, told.mayTell(owner))));
    }
  }
  return succeed(undefined);
}

/** Runs a definition's rules on one input. */
export async function runRules(
  sandbox: Sandbox,
  caller: Caller,
  rules: CustomDefinition,
  input: JsonValue,
  field: string,
  drafted?: JsonObject,
): Promise<Result<CustomRun>> {
  const job = { rules: { ...rules, checks: rules.checks.map(checkOf) }, input, drafted };
  const terms = { field, key: rules.id, user: caller.token?.subject };
  const answer = await sandbox.run(caller.accountId ?? '', 'custom', job, terms);
  if (!answer.ok || !answer.value.ok) return answer as Result<Extract<CustomRun, { ok: false }>>;
  const { outcomes, ...outcome } = answer.value;
  return succeed({
    ...outcome,
    checks: rules.checks.map((rule, index) => ({ rule, outcome: outcomes[index] ?? 'error' })),
  });
}

/** What the service itself states about a version. */
type Stated = Pick<DefinitionSummary, 'version' | 'retiredMs' | 'createdMs' | 'bytes'>;

function messageOf({ content, ...row }: Stated & { content: string }): WorkflowDefinition {
  const definition = fromJson(WorkflowDefinitionSchema, JSON.parse(content) as JsonValue);
  return Object.assign(definition, statedOf(row));
}

function summaryMessageOf(row: DefinitionSummary): WorkflowDefinition {
  const { client, workflow, displayName, assist } = row;
  return create(WorkflowDefinitionSchema, { client, workflow, displayName, assist, ...statedOf(row) });
}

function statedOf({ version, retiredMs, createdMs, bytes }: Stated) {
  return {
    version,
    state: retiredMs === undefined ? 'active' : 'retired',
    createTime: timestampFromMs(createdMs),
    sizeBytes: bytes,
  };
}

function accountOf({ accountId }: Caller): string {
  // The contract admits no caller without an account here.
  if (accountId === undefined) throw new Error('a workflow without an account');
  return accountId;
}

function notFound(client: string, workflow: string): ReturnType<typeof fail> {
  return fail({ kind: 'not_found', resource: `workflow ${client}/${workflow}` });
}
