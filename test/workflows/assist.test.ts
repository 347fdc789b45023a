import { beforeAll, describe, expect, it, vi } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { systemClock } from '../../src/base/clock.ts';
import type { Result } from '../../src/base/failure.ts';
import { createCatalog, memoryPriceStore } from '../../src/catalog/index.ts';
import { createCircuitBreaker, createModelCalls } from '../../src/chat/index.ts';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { type Admission, createLimits } from '../../src/limits/index.ts';
import { createWorkflows } from '../../src/workflows/index.ts';
import { testModel } from '../chat/harness.ts';
import { firstServer, silent, useDatabase } from '../support/database.ts';
import { loseHolds } from '../support/lose-holds.ts';
import { testSandbox } from '../support/sandbox.ts';
import { completion } from '../support/upstream.ts';
import { type Assisted, call, caller, price, read, useAssisted, value } from './assisted.ts';

const assisted = useAssisted();
let { workflows, ledger, catalog, providers, upstream, assistantWith, say } = {} as Assisted;
beforeAll(() => {
  ({ workflows, ledger, catalog, providers, upstream, assistantWith, say } = assisted());
});
const fresh = useDatabase(firstServer());

const text = 'Our fund beats everything. Guaranteed returns of 12% for all. Ask your neighbour, he is rich now.';
const check = async (more: object = {}) =>
  value(await workflows.run('risk', caller, read(CheckRiskRequestSchema, { text, domain: 'finance', ...more }), call));
const rulesOnly = async () => (await check({ assist: 'off' })).reply;

const nothing = { texts: [], findings: [] };
const summary = (text: string) => ({ id: 'summary', text });
const action = (text: string) => ({ id: 'action', text });

describe('a model that helps', () => {
  it('words the reply and adds findings that stand in the text, in the same charge', async () => {
    const rules = await rulesOnly();
    const { balance } = ledger;
    say({
      texts: [
        summary('The risk is critical: the text promises a return of 12%.'),
        action('Say plainly that capital is at risk and that returns vary.'),
      ],
      findings: [
        {
          quote: 'he is rich now',
          category: 'misleading_marketing',
          severity: 'low',
          reason: 'An invented success story.',
          suggestion: 'Leave it out.',
        },
      ],
    });
    const { reply, cost } = await check();
    expect(reply).toMatchObject({ findingsTotal: rules.findingsTotal + 1, riskLevel: rules.riskLevel });
    expect(reply.riskScore).toBeGreaterThan(rules.riskScore);
    expect(reply.nextBestAction).toBe('Say plainly that capital is at risk and that returns vary.');
    const added = reply.findings.at(-1);
    expect(added).toMatchObject({ phrase: 'he is rich now', source: 'model', reason: 'An invented success story.' });
    expect([...text].slice(added?.start, added?.end).join('')).toBe('he is rich now');
    expect(reply.basis).toMatchObject({ evaluator: 'assisted', model: 'm' });
    // The finding changed what the rules say in the summary, so words for the former one are not taken.
    expect(reply.basis?.note).toBe(
      'm was asked and answered. Kept: a finding of misleading marketing, low; the next best action. ' +
        'Dropped: the summary (what it words is no longer what the rules say).',
    );
    expect(cost).toBeGreaterThan(price);
    expect(balance - ledger.balance).toBe(cost);
    expect(ledger.settlements.at(-1)).toMatchObject({ charged: cost, model: 'm', usage: { requests: 1 } });
    expect(reply.usage.inputTokens).toBeGreaterThan(0);
    expect(ledger.held).toBe(0n);
    expect(upstream.seen).toHaveLength(1);
    expect(JSON.stringify(upstream.seen[0]?.body)).toContain('json_schema');
  });

  it('raises the level and the action by its findings, and lowers nothing', async () => {
    const harmless = 'Dear customer, the parcel waits at our office until noon.';
    const finding = {
      quote: 'the parcel waits',
      category: 'phishing',
      reason: 'A lure.',
      suggestion: 'Leave it out.',
    };
    say({ texts: [summary('It is fine.')], findings: [{ ...finding, severity: 'critical' }] });
    const { reply } = await check({ text: harmless, domain: '' });
    expect(reply).toMatchObject({ riskLevel: 'critical', riskScore: 75 });
    expect(reply.nextBestAction).toMatch(/^Do not follow its links/);
    expect(reply.summary).toBe('The risk is critical: signs of phishing.');
    say({ texts: [], findings: [{ ...finding, quote: 'he is rich now', severity: 'info' }] });
    expect((await check()).reply.riskScore).toBe((await rulesOnly()).riskScore);
  });

  it('names categories of the closed list only', async () => {
    const finding = { quote: 'he is rich now', category: 'naughty', severity: 'high', reason: '', suggestion: '' };
    say({ texts: [], findings: [finding] });
    const { reply } = await check();
    expect(reply.basis).toMatchObject({
      evaluator: 'rules',
      model: '',
      note: 'm was asked, and its answer did not hold, nor did a second one: it did not fit at findings[0].category. Rules alone answer.',
    });
  });

  it('is asked once more with what its answer misses, and paid for both', async () => {
    say(
      { texts: [], findings: [], riskScore: 0 },
      { texts: [summary('The risk is critical: too much is promised.')], findings: [] },
    );
    const { reply } = await check();
    expect(reply).toMatchObject({
      summary: 'The risk is critical: too much is promised.',
      basis: {
        evaluator: 'assisted',
        note: 'm was asked; its first answer did not hold (it did not fit at answer), the second one did. Kept: the summary.',
      },
    });
    expect(upstream.seen).toHaveLength(2);
    expect(JSON.stringify(upstream.seen[1]?.body)).toContain('riskScore');
    expect(ledger.settlements.at(-1)?.usage.outputTokens).toBe(2 * (completionTokens() ?? 0));
    expect(ledger.held).toBe(0n);
  });

  it('that invents phrases, facts, numbers or addresses changes nothing', async () => {
    const rules = await rulesOnly();
    const finding = { quote: 'he is rich now', category: 'threat', severity: 'critical', reason: 'r', suggestion: 's' };
    const inventions = [
      { ...nothing, texts: [summary('The risk is critical: returns are 13% in truth.')] },
      { ...nothing, texts: [summary('The risk is critical. Write to fraud@example.com.')] },
      { ...nothing, texts: [action('See https://example.com/x for more.')] },
      { ...nothing, texts: [action('Look at example.com/x for more.')] },
      { ...nothing, texts: [{ id: 'riskLevel', text: 'low' }] },
      { ...nothing, findings: [{ ...finding, quote: 'he stole the money' }] },
      { ...nothing, findings: [{ ...finding, severity: 'fatal' }] },
      { ...nothing, riskScore: 0 },
      'I cannot do that.',
      '[]',
    ];
    for (const invention of inventions) {
      say(invention);
      const { reply, cost } = await check();
      const { usage: _, basis, ...rest } = reply;
      const { usage: __, basis: rulesBasis, ...expected } = rules;
      expect(rest, JSON.stringify(invention)).toEqual(expected);
      expect(basis).toEqual({ ...rulesBasis, note: basis?.note });
      expect(basis?.note, JSON.stringify(invention)).toMatch(/^m was asked/);
      expect(cost).toBeGreaterThan(price);
    }
  });

  it('that fails costs nothing beside the family’s price', async () => {
    upstream.answer(() => ({ status: 500 }));
    const { reply, cost } = await check();
    expect(cost).toBe(price);
    expect(reply.basis).toMatchObject({ evaluator: 'rules', note: 'No model answered.' });
  });

  it('is not asked when the request says so, or when the credit pays for rules alone', async () => {
    await check({ assist: 'off' });
    ledger.balance = price;
    const { reply, balance } = await check();
    expect(reply.basis?.note).toBe('The credit does not pay for a model.');
    expect(balance).toBe(0n);
    expect(upstream.seen).toHaveLength(0);
  });
});

describe('a charge', () => {
  it('that can’t be collected gives no reply', async () => {
    const request = read(CheckRiskRequestSchema, { text, domain: 'finance', assist: 'off' });
    const { balance } = ledger;
    for (const [lost, kind] of [
      ['expired', 'insufficient_credit'],
      ['superseded', 'idempotency_in_flight'],
    ] as const) {
      const found = loseHolds(ledger, lost);
      const idempotency = { key: lost, fingerprint: Buffer.from('body') };
      const answer = await workflows.run('risk', caller, request, { ...call, idempotency });
      expect(answer).toMatchObject({ ok: false, failure: { kind } });
      found();
    }
    expect(ledger).toMatchObject({ balance, held: 0n });
  });

  it('pays for a model that costs nothing', async () => {
    const free = await createCatalog({
      store: memoryPriceStore(),
      settings: {
        models: [testModel('p', 'm', { price: { inputPerMillionUsd: '0', outputPerMillionUsd: '0' } })],
        services: { workflow: { perRequestUsd: '0.002' } },
      },
      enabledProviders: providers.enabled,
      log: silent,
    });
    await free.importPrices();
    const assistant = createModelCalls({
      ...{ catalog: free, providers, sandbox: testSandbox(), clock: systemClock, deadlineMs: 5_000 },
      breaker: createCircuitBreaker({ clock: systemClock }),
    });
    const service = createWorkflows({
      db: fresh().database,
      ledger,
      prices: free,
      sandbox: testSandbox(),
      log: silent,
      assistant,
    });
    say({ texts: [summary('The risk is critical: too much is promised.')], findings: [] });
    const request = read(CheckRiskRequestSchema, { text, domain: 'finance' });
    const { reply, cost } = value(await service.run('risk', caller, request, call));
    expect(reply.basis?.evaluator).toBe('assisted');
    expect(cost).toBe(price);
    expect(ledger.held).toBe(0n);
    free.close();
  });
});

describe('model tokens a minute', () => {
  it('are set aside before the call and counted as used after it; a refusal costs nothing', async () => {
    const asked: number[] = [];
    const perMinute = { tokens: 1_000_000 };
    const run = async () => {
      const level = { requestsPerMinute: 1_000, tokensPerMinute: perMinute.tokens, concurrent: 10, streams: 10 };
      const limits = createLimits({
        // Time stands still, so that nothing drains while the test counts.
        clock: { ...systemClock, monotonic: () => 0 },
        log: silent,
        levels: { account: level, key: level, token: level },
      });
      const limited = createWorkflows({
        ...{ db: fresh().database, ledger, prices: catalog, sandbox: testSandbox(), log: silent },
        assistant: assistantWith((caller, tokens) => {
          asked.push(tokens);
          return limits.reserveTokens(caller, tokens);
        }),
      });
      const request = read(CheckRiskRequestSchema, { text, domain: 'finance' });
      return {
        check: () => limited.run('risk', caller, request, call),
        tokensLeft: () => value(limits.admit(caller, 'unary') as Result<Admission>).tokens?.remaining ?? 0,
        close: () => limits.close(),
      };
    };
    say({ texts: [summary('The risk is critical: too much is promised.')], findings: [] });
    const unlimited = await run();
    const { usage } = value(await unlimited.check()).reply;
    await unlimited.close();
    const [most = 0] = asked;
    expect(most).toBeGreaterThan(1_500);

    perMinute.tokens = Math.floor(most * 1.5);
    const limited = await run();
    const { balance } = ledger;
    // Nobody is answered before both have asked for tokens.
    upstream.answer(async () => {
      await vi.waitUntil(() => asked.length === 3, { timeout: 20_000 });
      const answer = { texts: [summary('The risk is critical: too much is promised.')], findings: [] };
      return { body: completion(JSON.stringify(answer)) };
    });
    const answers = await Promise.all([limited.check(), limited.check()]);
    const [paid] = answers.flatMap((answer) => (answer.ok ? [answer.value] : []));
    const [refused] = answers.flatMap((answer) => (answer.ok ? [] : [answer.failure]));
    expect(paid?.reply.basis?.evaluator).toBe('assisted');
    expect(refused).toMatchObject({ kind: 'rate_limited', limit: 'tokens per minute of the account' });
    expect(refused?.kind === 'rate_limited' && refused.retryAfterMs).toBeGreaterThan(0);
    expect(balance - ledger.balance).toBe(paid?.cost);
    expect(ledger.held).toBe(0n);

    const used = Number(usage.inputTokens) + Number(usage.outputTokens);
    expect(perMinute.tokens - limited.tokensLeft()).toBe(used);
    // What was set aside and not used is there again, also when the model fails.
    upstream.answer(() => ({ status: 500 }));
    expect(value(await limited.check()).reply.basis?.note).toBe('No model answered.');
    expect(perMinute.tokens - limited.tokensLeft()).toBe(used);
    await limited.close();
  });
});

describe('each family', () => {
  it('guidance takes suggestions for fields that need one', async () => {
    const request = read(CheckProfileRequestSchema, { template: 'person', values: { email: 'ana@example' } });
    say({
      texts: [
        summary('A few things are open.'),
        action('Fill in the full e-mail address.'),
        { id: 'field:email', text: 'Add the ending after the point.' },
        { id: 'field:shoeSize', text: 'Add it.' },
      ],
    });
    const { reply } = value(await workflows.run('guidance', caller, request, call));
    expect(reply).toMatchObject({ summary: 'A few things are open.', basis: { evaluator: 'assisted' } });
    expect(reply.fields.find(({ field }) => field === 'email')).toMatchObject({
      status: 'invalid',
      suggestion: 'Add the ending after the point.',
    });
    expect(reply.basis?.note).toContain('Dropped: a text that nobody asked for');
  });

  it('readiness never becomes ready by a model’s words', async () => {
    const request = read(ScoreListingRequestSchema, { listing: { title: 'Oak table' } });
    const byRules = value(await workflows.run('readiness', caller, { ...request, assist: 'off' }, call)).reply;
    say({ texts: [summary('The listing is ready to go.')], findings: [], facts: [] });
    const { reply } = value(await workflows.run('readiness', caller, request, call));
    expect(reply).toMatchObject({ ready: false, summary: byRules.summary, basis: { evaluator: 'rules' } });
    expect(reply.basis?.note).toBe(
      'm was asked and answered. Nothing of it was kept. Dropped: the summary (it speaks against the verdict).',
    );
  });

  it('a draft keeps its facts and placeholders, or stays as the rules wrote it', async () => {
    const request = read(DraftDocumentRequestSchema, {
      purpose: 'the order is late',
      audience: 'Ana',
      facts: [{ name: 'order', value: '4711', source: 'shop' }, { name: 'date' }],
      mustAvoid: ['sorry'],
    });
    const body = 'Dear Ana,\n\nyour order 4711 is late and will come on [[date]].\n\nRegards';
    say({ title: 'Your order', body });
    const { reply } = value(await workflows.draft(caller, request, call));
    expect(reply.draft).toMatchObject({
      title: 'Your order',
      body,
      placeholders: ['date'],
      state: 'pending_review',
      citations: [{ fact: 'order', source: 'shop' }],
    });
    expect(value(await workflows.drafts.find(caller, reply.draft?.draftId ?? '')).body).toBe(body);
    for (const wrong of [
      body.replace('4711', '4712'),
      body.replace('[[date]]', 'Monday'),
      `${body} Sorry!`,
      `${body} Act now!`,
      `${body} [[more]]`,
    ]) {
      say({ title: '', body: wrong });
      const { reply } = value(await workflows.draft(caller, request, call));
      expect(reply.basis?.evaluator, wrong).toBe('rules');
      expect(reply.draft?.body).not.toBe(wrong);
    }
  });

  it('a decision keeps its winner', async () => {
    const request = read(WriteDecisionMemoRequestSchema, {
      question: 'Which one?',
      options: [
        { name: 'North', attributes: { rent: 3 } },
        { name: 'South', attributes: { rent: 5 } },
      ],
      criteria: [{ name: 'rent', direction: 'lower' }],
    });
    say({
      texts: [summary('North is cheapest.'), { id: 'rationale', text: 'North asks the lowest rent.' }],
      risks: ['The rent of North may rise.'],
    });
    const { reply } = value(await workflows.run('decision', caller, request, call));
    expect(reply).toMatchObject({ recommendation: { option: 'North', rationale: 'North asks the lowest rent.' } });
    expect(reply.summary).toBe('North is cheapest.');
    expect(reply.markdown).toContain('The rent of North may rise.');
    say({ texts: [summary('South is best.')], risks: [] });
    expect(value(await workflows.run('decision', caller, request, call)).reply).toMatchObject({
      recommendation: { option: 'North' },
      basis: { evaluator: 'rules' },
    });
  });
});

describe("a client's own workflow with a model", () => {
  const owner: Caller = { credential: 'management_key', name: 'owner', accountId: 'acc_1', scopes: new Set() };
  const schema = (properties: object, required: string[]) => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  });
  const definition = {
    client: 'acme',
    workflow: 'letter',
    displayName: '',
    version: 0,
    state: '',
    checks: [],
    inputSchema: schema({ name: { type: 'string' }, age: { type: 'number' } }, ['name', 'age']),
    outputSchema: schema({ adult: { type: 'boolean' }, greeting: { type: 'string', maxLength: 40 } }, [
      'adult',
      'greeting',
    ]),
    fields: [{ name: 'adult', expression: 'input.age >= 18.0' }],
    instructions: 'Greet {{input.name}}.',
    assist: 'required',
    samples: [],
  };
  const run = () =>
    workflows.runCustom(caller, { client: 'acme', workflow: 'letter', input: { name: 'Ana', age: 12 } }, call);
  beforeAll(async () => {
    value(await workflows.definitions.create(value(await workflows.definitions.prove(owner, definition as never))));
  });

  it('fills in what rules do not compute, and never what they do', async () => {
    say({ adult: true, greeting: 'Hello Ana' });
    const { reply, cost } = value(await run());
    expect(reply).toMatchObject({
      output: { adult: false, greeting: 'Hello Ana' },
      basis: { evaluator: 'assisted', model: 'm' },
    });
    expect(cost).toBeGreaterThan(price);
    const [system] = (upstream.seen[0]?.body.messages ?? []) as { content: string }[];
    expect(system?.content).toContain('Greet "Ana".');
  });

  it('fails when nothing fits, and charges nothing', async () => {
    say({ adult: false, greeting: 'x'.repeat(60) });
    const { balance } = ledger;
    const settled = ledger.settlements.length;
    const failed = { ok: false, failure: { kind: 'upstream_failed', upstream: "workflow's model" } };
    const misfit = expect.stringMatching(/^it did not fit at output\/greeting/);
    expect(await run()).toMatchObject({ ...failed, failure: { ...failed.failure, misfit } });
    expect(upstream.seen).toHaveLength(2);
    expect(JSON.stringify(upstream.seen[1]?.body)).toContain('output/greeting');
    upstream.answer(() => ({ status: 500 }));
    expect(await run()).toEqual({ ...failed, failure: { ...failed.failure, attempts: [] } });
    expect(ledger).toMatchObject({ balance, held: 0n });
    expect(ledger.settlements).toHaveLength(settled);
    expect(ledger.releases.slice(-2)).toEqual(['upstream_failed', 'upstream_failed']);
  });

  it('is refused where the credit does not pay for its model, before one is called', async () => {
    say({ adult: false, greeting: 'Hello Ana' });
    for (const idempotency of [undefined, { key: 'poor', fingerprint: Buffer.from('poor') }]) {
      ledger.balance = price + 1_000n;
      const failed = await workflows.runCustom(
        caller,
        { client: 'acme', workflow: 'letter', input: { name: 'Ana', age: 12 } },
        { ...call, ...(idempotency && { idempotency }) },
      );
      expect(failed).toMatchObject({ failure: { kind: 'insufficient_credit', balance: price + 1_000n } });
      expect(ledger).toMatchObject({ balance: price + 1_000n, held: 0n });
    }
    expect(upstream.seen).toHaveLength(0);
  });

  it('is not asked again for a caller who has left', async () => {
    const leaving = new AbortController();
    upstream.answer(() => {
      leaving.abort();
      return { body: completion(JSON.stringify({ adult: false, greeting: 'x'.repeat(60) })) };
    });
    const request = { client: 'acme', workflow: 'letter', input: { name: 'Ana', age: 12 } };
    const { balance } = ledger;
    expect(await workflows.runCustom(caller, request, { signal: leaving.signal })).toMatchObject({ ok: false });
    expect(upstream.seen).toHaveLength(1);
    expect(ledger).toMatchObject({ balance, held: 0n });
  });

  it('is not asked any more once its account has left too much of what models cost unpaid, and what rules pay for is', async () => {
    const acc = { ...caller, accountId: 'acc_unmet' };
    const by = { ...owner, accountId: 'acc_unmet' };
    const request = { client: 'acme', workflow: 'letter', input: { name: 'Ana', age: 12 } };
    for (const part of [{}, { workflow: 'rules-do', assist: 'optional', outputSchema: schema({}, []), fields: [] }])
      value(
        await workflows.definitions.create(
          value(await workflows.definitions.prove(by, { ...definition, ...part } as never)),
        ),
      );
    upstream.answer(() => ({ body: completion('No.', { prompt_tokens: 100, completion_tokens: 2_000 }) }));
    ledger.balance = 1_000_000_000_000n;
    const { balance } = ledger;
    let runs = 0;
    let ran = await workflows.runCustom(acc, request, call);
    for (; runs < 200 && !ran.ok && ran.failure.kind === 'upstream_failed'; runs += 1)
      ran = await workflows.runCustom(acc, request, call);
    expect(ran).toMatchObject({
      failure: { kind: 'rate_limited', limit: expect.stringContaining('1.00 USD an hour') },
    });
    expect(upstream.seen).toHaveLength(2 * runs);
    expect(ledger).toMatchObject({ balance, held: 0n });
    // What is paid in any case, and other accounts, go on.
    const paid = value(await workflows.runCustom(acc, { ...request, workflow: 'rules-do' }, call));
    expect(paid.cost).toBeGreaterThan(price);
    expect(await run()).toMatchObject({ failure: { kind: 'upstream_failed' } });
  });

  it('is put right once', async () => {
    say({ adult: false, greeting: 'x'.repeat(60) }, { adult: false, greeting: 'Hello Ana' });
    const { reply } = value(await run());
    expect(reply.output).toEqual({ adult: false, greeting: 'Hello Ana' });
    expect(reply.basis.note).toMatch(
      /^m was asked; its first answer did not hold \(it did not fit at output\/greeting/,
    );
    expect(ledger.settlements.at(-1)?.usage.outputTokens).toBe(2 * (completionTokens() ?? 0));
  });
});

function completionTokens(): number | undefined {
  const { usage } = completion('') as { usage?: { completion_tokens?: number } };
  return usage?.completion_tokens;
}
