import { beforeAll, expect, test } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { type Result, unwrap } from '../../src/base/failure.ts';
import type { WorkflowDefinition } from '../../src/gen/intelligence/workflow/v1/definition_pb.ts';
import { createWorkflows, type Definitions } from '../../src/workflows/index.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';
import { memoryLedger } from '../support/memory-ledger.ts';
import { testSandbox } from '../support/sandbox.ts';

const owner = (accountId: string): Caller => ({
  credential: 'management_key',
  name: 'owner',
  accountId,
  scopes: new Set(),
});

/** A definition whose schemas have texts of `characters` in all. */
function definition(workflow: string, characters = 10, changes: object = {}) {
  return {
    client: 'acme',
    workflow,
    version: 0,
    displayName: `Höhe “${workflow}” 😀`,
    inputSchema: { description: 'x'.repeat(Math.ceil(characters / 2)) },
    outputSchema: { type: 'object', description: 'y'.repeat(Math.floor(characters / 2)) },
    checks: [],
    fields: [],
    instructions: '',
    assist: 'off',
    samples: [],
    state: '',
    sizeBytes: 0,
    ...changes,
  };
}

/** Makes a definition. A busy machine answers `overloaded`, which says nothing of quotas: it is asked again. */
async function make(room: Definitions, caller: Caller, asked: ReturnType<typeof definition>) {
  for (;;) {
    const proven = await room.prove(caller, asked);
    const made = proven.ok ? await room.create(proven.value) : proven;
    if (made.ok || made.failure.kind !== 'overloaded') return made;
  }
}

const size = (one: WorkflowDefinition) => JSON.stringify([one.inputSchema, one.outputSchema]).length;

const kinds = (results: readonly Result<unknown>[]) =>
  results.map((result) => (result.ok ? 'made' : result.failure.kind)).sort();

const count = (results: readonly Result<unknown>[], kind: string) =>
  kinds(results).filter((found) => found === kind).length;

eachServer((server) => {
  const fresh = useDatabase(server);
  let definitions: Definitions;

  function open(quotas: Parameters<typeof createWorkflows>[0]['quotas']): Definitions {
    const options = { db: fresh().database, ledger: memoryLedger(0n), prices: { version: 1, price: () => undefined } };
    const sandbox = testSandbox();
    return createWorkflows({ ...options, sandbox, log: silent, ...(quotas ? { quotas } : {}) }).definitions;
  }

  beforeAll(() => {
    definitions = open(undefined);
  });

  async function walk(account: string, request: { view: string; pageSize?: number }): Promise<WorkflowDefinition[][]> {
    const pages: WorkflowDefinition[][] = [];
    for (let pageToken = ''; pages.length === 0 || pageToken !== ''; ) {
      const page = unwrap(await definitions.list(owner(account), { client: '', pageToken, ...request }));
      pages.push(page.items);
      pageToken = page.nextPageToken;
      expect(pages.length).toBeLessThan(50);
    }
    return pages;
  }

  test('pages of large definitions are summaries, or end at 1 MiB; each is listed once', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `large-${index}`);
    for (const name of names) unwrap(await make(definitions, owner('acc_large'), definition(name, 390_000)));
    const newestFirst = names.toReversed();

    const [basic, ...more] = await walk('acc_large', { view: '' });
    expect(more).toEqual([]);
    expect(basic?.map(({ workflow }) => workflow)).toEqual(newestFirst);
    for (const one of basic ?? []) {
      expect(one).toMatchObject({
        client: 'acme',
        displayName: `Höhe “${one.workflow}” 😀`,
        assist: 'off',
        version: 1,
        state: 'active',
      });
      expect(one.sizeBytes).toBeGreaterThan(390_000);
      expect(one.inputSchema).toBeUndefined();
      expect(one.createTime).toBeDefined();
    }
    // Two of 390 KB fit into 1 MiB, three do not.
    const full = await walk('acc_large', { view: 'full' });
    expect(full.map((page) => page.length)).toEqual([2, 2, 2, 2, 1]);
    expect(full.flat().map(({ workflow }) => workflow)).toEqual(newestFirst);
    for (const one of full.flat()) expect(size(one)).toBeGreaterThan(390_000);
    expect((await walk('acc_large', { view: 'full', pageSize: 1 })).map((page) => page.length)).toEqual(
      names.map(() => 1),
    );
  });

  test('25 that come at once leave exactly as many workflows as are allowed', async () => {
    const few = open({ workflows: 10 });
    const names = Array.from({ length: 25 }, (_, index) => `at-once-${index}`);
    const made = await Promise.all(names.map((name) => make(few, owner('acc_many'), definition(name))));
    expect([count(made, 'made'), count(made, 'precondition_failed')]).toEqual([10, 15]);
    expect((await walk('acc_many', { view: 'basic', pageSize: 100 })).flat()).toHaveLength(10);
    const refused = made.find((one) => !one.ok);
    expect(refused).toMatchObject({
      failure: { description: expect.stringContaining('delete what is no longer used') },
    });
    // Another account is not concerned.
    expect(await make(few, owner('acc_other'), definition('its-own'))).toMatchObject({ ok: true });
  });

  test('12 versions that come at once are numbered without a gap, up to the limit', async () => {
    const few = open({ versionsPerWorkflow: 5 });
    const made = await Promise.all(
      Array.from({ length: 12 }, () => make(few, owner('acc_versions'), definition('one'))),
    );
    expect([count(made, 'made'), count(made, 'precondition_failed')]).toEqual([5, 7]);
    const versions = made.filter((one) => one.ok).map((one) => unwrap(one).version);
    expect(versions.sort()).toEqual([1, 2, 3, 4, 5]);
  });

  test('bytes are counted over all versions, also when they come at once', async () => {
    const few = open({ bytes: 100_000 });
    const made = await Promise.all(
      Array.from({ length: 12 }, (_, index) => make(few, owner('acc_bytes'), definition(`w-${index % 4}`, 24_000))),
    );
    // Four of a little more than 24 KB.
    expect([count(made, 'made'), count(made, 'precondition_failed')]).toEqual([4, 8]);
  });

  test('what is retired can be deleted, and makes room; what is active or newest stays', async () => {
    const few = open({ versionsPerWorkflow: 2, workflows: 1 });
    const caller = owner('acc_room');
    const name = { client: 'acme', workflow: 'one' };
    unwrap(await make(few, caller, definition('one')));
    unwrap(await make(few, caller, definition('one')));
    expect(await make(few, caller, definition('one'))).toMatchObject({ ok: false });
    const isKept = { ok: false, failure: { kind: 'precondition_failed' } };
    expect(await few.remove(caller, { ...name, version: 1 })).toMatchObject(isKept);
    unwrap(await few.retire(caller, { ...name, version: 1 }));
    expect(await few.remove(caller, name)).toMatchObject(isKept);
    unwrap(await few.remove(caller, { ...name, version: 1 }));
    expect(unwrap(await make(few, caller, definition('one'))).version).toBe(3);
    unwrap(await few.retire(caller, name));
    expect(await few.remove(caller, { ...name, version: 3 })).toMatchObject(isKept);
    expect(await make(few, caller, definition('two'))).toMatchObject({ ok: false });
    expect(await few.remove(owner('acc_stranger'), name)).toMatchObject({ failure: { kind: 'not_found' } });
    unwrap(await few.remove(caller, name));
    expect(await few.remove(caller, name)).toMatchObject({ failure: { kind: 'not_found' } });
    expect(unwrap(await make(few, caller, definition('two'))).version).toBe(1);
  });
});
