import { toJson } from '@bufbuild/protobuf';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OutcomeService } from '../../src/gen/intelligence/outcome/v1/outcome_service_pb.ts';
import { decodeJudgement } from '../../src/outcomes/judgement.ts';
import { type Customer, onboard, reasonOf, send, startApp, type TestApp } from '../support/app.ts';
import { eachServer, useDatabase } from '../support/database.ts';
import { grpcClient } from '../support/grpc.ts';
import { query, run } from '../wallet/support.ts';

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let customer: Customer;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url });
    customer = await onboard(app);
  });
  afterAll(() => app.close());

  const judge = async (text: string, subjectId?: string) => {
    const metadata = subjectId === undefined ? {} : { subjectId };
    const { body } = await send(app, 'POST', '/v1/risk/check', customer.apiKey, { text, metadata });
    return body.usage.chargeId as string;
  };
  const report = (outcome: object, credential = customer.apiKey) =>
    send(app, 'POST', '/v1/outcomes', credential, outcome);
  const stored = (chargeId: string) =>
    query(
      database().url,
      `SELECT outcome, value, occurred_at_ms AS at FROM workflow_outcome WHERE charge_id = '${chargeId}'`,
    );

  test('what was judged is kept by its charge’s own commit, without a word of the text', async () => {
    const text = 'Guaranteed returns for Ms Featherstonehaugh. Pay a deposit by wire today.';
    const chargeId = await judge(text);
    const rows = await query(database().url, `SELECT content FROM charge_evidence WHERE charge_id = '${chargeId}'`);
    expect(rows).toHaveLength(1);
    const content = String(rows[0]?.content);
    expect(decodeJudgement(content)).toMatchObject({ family: 'risk', level: expect.stringMatching(/\w/) });
    expect(decodeJudgement(content)?.checks.some(({ outcome }) => outcome === 'failed')).toBe(true);
    for (const word of text.split(/\W+/).filter(({ length }) => length > 6)) expect(content).not.toContain(word);
    const listing = { title: 'City bike', price: 180, currency: 'EUR' };
    const scored = await send(app, 'POST', '/v1/readiness/listing', customer.apiKey, { listing });
    const { chargeId: other } = scored.body.usage;
    const [row] = await query(database().url, `SELECT content FROM charge_evidence WHERE charge_id = '${other}'`);
    const judged = decodeJudgement(String(row?.content));
    expect(judged).toMatchObject({ score: scored.body.readinessScore, level: 'not_ready' });
    expect(judged?.pack).toBe(scored.body.basis.packVersion);
    expect(judged?.checks.map(({ id }) => id)).toEqual(scored.body.basis.checks.map(({ id }: { id: string }) => id));
    // What was refused was not judged.
    const before = await query(database().url, 'SELECT COUNT(*) AS n FROM charge_evidence');
    await send(app, 'POST', '/v1/risk/check', customer.apiKey, { text: '' });
    expect(await query(database().url, 'SELECT COUNT(*) AS n FROM charge_evidence')).toEqual(before);
  });

  test('of outcomes that are reported at once, the one that came about last stays', async () => {
    for (let round = 0; round < 6; round++) {
      const chargeId = await judge(`A lamp, number ${round}.`);
      const at = (year: number, outcome: string) =>
        report({ chargeId, outcome, occurredAt: `${year}-01-01T00:00:00Z` });
      const answers = await Promise.all([at(2025, 'sold'), at(2020, 'fraud'), at(2023, 'returned')]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect(await stored(chargeId)).toMatchObject([{ outcome: 'sold' }]);
      const effects = answers.flatMap(({ body }) => body.effects.map(({ effect }: { effect: string }) => effect));
      expect(effects.filter((effect) => effect === 'recorded')).toHaveLength(1);
    }
  });

  test('an outcome is of a charge or of a subject, is the latest one, and is reported twice like once', async () => {
    const [first, second] = [await judge('A table of oak.', 'listing-1'), await judge('A chair.', 'listing-1')];
    const effects = async (outcome: object) => (await report(outcome)).body.effects;
    const sold = { chargeId: first, outcome: 'sold', occurredAt: '2026-03-01T12:00:00Z', valueUsd: '180.00' };
    expect(await effects(sold)).toEqual([{ chargeId: first, effect: 'recorded' }]);
    expect(await effects(sold)).toEqual([{ chargeId: first, effect: 'unchanged' }]);
    expect(await stored(first)).toEqual([{ outcome: 'sold', value: 180_000_000_000n, at: 1_772_366_400_000n }]);
    // Later for both; then one that happened before, but arrives late.
    const returned = { subjectId: 'listing-1', outcome: 'returned', occurredAt: '2026-03-09T12:00:00Z' };
    expect(new Set((await effects(returned)).map(({ effect }: { effect: string }) => effect))).toEqual(
      new Set(['replaced', 'recorded']),
    );
    const late = { chargeId: second, outcome: 'sold', occurredAt: '2026-03-02T12:00:00Z' };
    expect(await effects(late)).toEqual([{ chargeId: second, effect: 'outdated' }]);
    expect(await stored(second)).toMatchObject([{ outcome: 'returned', value: null }]);
    expect(await effects({ ...returned, family: 'readiness' })).toBeUndefined();
  });

  test('reports are the account’s own, and say what is wrong', async () => {
    const chargeId = await judge('A table of oak.', 'listing-2');
    const stranger = await onboard(app);
    for (const of of [{ chargeId }, { subjectId: 'listing-2' }]) {
      const refused = await report({ ...of, outcome: 'sold' }, stranger.apiKey);
      expect([refused.status, reasonOf(refused)]).toEqual([404, 'NOT_FOUND']);
    }
    expect(await stored(chargeId)).toEqual([]);
    const field = async (outcome: object) => {
      const { status, text } = await report(outcome);
      expect(status).toBe(400);
      return text;
    };
    expect(await field({ chargeId, outcome: 'vanished' })).toContain('must be one of sold, approved');
    expect(await field({ chargeId, outcome: 'sold', occurredAt: '2999-01-01T00:00:00Z' })).toContain('a day to come');
    expect(await field({ chargeId, outcome: 'sold', valueUsd: '1,80' })).toContain('valueUsd');
    await field({ outcome: 'sold' });
    expect((await report({ chargeId, outcome: 'sold' }, customer.managementKey)).status).toBe(200);
  });

  test('a thousand are reported at once over gRPC, in order, and those without a judgement fail alone', async () => {
    const chargeId = await judge('A table of oak.', 'listing-3');
    const client = grpcClient(app.url);
    const outcomes = Array.from({ length: 1_000 }, (_, index) => ({
      of: { case: 'subjectId' as const, value: index % 2 === 0 ? 'listing-3' : `nobody-${index}` },
      outcome: index === 998 ? 'fraud' : 'sold',
    }));
    const headers = { authorization: `Bearer ${customer.apiKey}` };
    const { message } = await client.unary(OutcomeService.method.batchReportOutcomes, { outcomes }, headers);
    client.close();
    expect(message).toMatchObject({ succeeded: 500, failed: 500 });
    expect(message?.results[0]?.effects).toMatchObject([{ chargeId, effect: 'recorded' }]);
    expect(message?.results[2]?.effects).toMatchObject([{ chargeId, effect: 'unchanged' }]);
    expect(message?.results[998]?.effects).toMatchObject([{ chargeId, effect: 'replaced' }]);
    expect(message?.results[999]?.error).toMatchObject({ status: 404, reason: 'NOT_FOUND' });
    expect(await stored(chargeId)).toMatchObject([{ outcome: 'fraud' }]);
  });

  test('what is older than the retention goes, and nothing else', async () => {
    const [old, young] = [await judge('A table of oak.'), await judge('A chair.')];
    for (const chargeId of [old, young]) await report({ chargeId, outcome: 'sold' });
    const ago = Date.now() - 401 * 86_400_000;
    await run(database().url, `UPDATE charge_evidence SET created_at_us = ${ago}000 WHERE charge_id = '${old}'`);
    await run(database().url, `UPDATE workflow_outcome SET reported_at_ms = ${ago} WHERE charge_id = '${old}'`);
    await app.rooms.outcomes.sweep();
    const kept = await query(database().url, `SELECT charge_id FROM charge_evidence`);
    expect(kept.map((row) => row.charge_id)).toContain(young);
    expect(kept.map((row) => row.charge_id)).not.toContain(old);
    expect([await stored(old), (await stored(young)).length]).toEqual([[], 1]);
  });

  test('a backfill: judged in batches, reported in batches, and calibrated, the same over JSON and gRPC', async () => {
    const payer = await onboard(app);
    const listings = Array.from({ length: 260 }, (_, index) => ({
      readiness: {
        listing: {
          title: 'Bicycle repair and service, all brands',
          currency: 'EUR',
          ...(index % 2 === 0 && { price: 180 }),
          ...(index % 3 === 0 && { location: 'Graz' }),
        },
        assist: 'off',
        metadata: { subjectId: `bike-${index}` },
      },
    }));
    const judged = await send(app, 'POST', '/v1/workflows/batch', payer.apiKey, { items: listings });
    expect(judged.body).toMatchObject({ succeeded: 260, failed: 0 });
    const path = '/v1/outcomes/calibration';
    const nothing = await send(app, 'GET', path, payer.apiKey);
    expect(nothing.body).toMatchObject({ families: [], outcomes: 0 });

    // Listings without a price seldom sell; the location does not matter.
    const outcomeOf = (index: number) => (index % 10 < 2 === (index % 2 === 0) ? 'not_sold' : 'sold');
    const outcomes = listings.map((_, index) => ({ subjectId: `bike-${index}`, outcome: outcomeOf(index) }));
    const report = (part: object[]) => send(app, 'POST', '/v1/outcomes/batch', payer.apiKey, { outcomes: part });
    expect((await report(outcomes.slice(0, 40))).body).toMatchObject({ succeeded: 40, failed: 0 });
    const few = await send(app, 'GET', path, payer.apiKey);
    expect(few.body.families[0].notEnoughData).toBe('not enough data: 40 of 50 outcomes');
    expect(few.body.families[0].overall.rate).toBeUndefined();

    await report(outcomes);
    const { body } = await send(app, 'GET', `${path}?family=readiness`, payer.managementKey);
    expect(body).toMatchObject({ outcomes: 260, truncated: false });
    const [family] = body.families;
    expect(family).toMatchObject({ family: 'readiness', notEnoughData: '', neutral: 0 });
    expect(family.packVersion).toBe(judged.body.results[0].readiness.basis.packVersion);
    const adverse = outcomes.filter(({ outcome }) => outcome === 'not_sold').length;
    expect(family.overall).toMatchObject({ outcomes: 260, adverse, rate: { value: adverse / 260 } });
    const scored = judged.body.results.map(({ readiness }: { readiness: { readinessScore: number } }) =>
      Math.min(Math.floor(readiness.readinessScore / 10) * 10, 90),
    );
    for (const { from, result } of family.scores)
      expect(result.outcomes).toBe(scored.filter((score: number) => score === from).length);
    const ids = judged.body.results[0].readiness.basis.checks.map(({ id }: { id: string }) => id);
    const [price] = family.checks;
    expect(ids).toContain(price.checkId);
    expect(price).toMatchObject({ foretells: true, failed: { outcomes: 130 }, notFailed: { outcomes: 130 } });
    expect(price.difference.low).toBeGreaterThan(0.4);
    expect(family.reweighing.proposedAuc).toBeGreaterThan(family.reweighing.presentAuc);
    const weightOf = (id: string) =>
      family.reweighing.weights.find(({ checkId }: { checkId: string }) => checkId === id);
    expect(weightOf(price.checkId).proposed).toBeGreaterThan(weightOf(price.checkId).present);

    const client = grpcClient(app.url);
    const headers = { authorization: `Bearer ${payer.apiKey}` };
    const { message } = await client.unary(OutcomeService.method.getCalibration, { family: 'readiness' }, headers);
    client.close();
    expect(
      message && toJson(OutcomeService.method.getCalibration.output, message, { alwaysEmitImplicit: true }),
    ).toMatchObject({
      families: [{ overall: family.overall, reweighing: family.reweighing }],
    });
    // With the caller's definition of adverse, and for a time without any.
    const sold = await send(app, 'GET', `${path}?adverse=sold`, payer.apiKey);
    expect(sold.body.families[0].overall.adverse).toBe(260 - adverse);
    const before = await send(app, 'GET', `${path}?to=2020-01-01T00:00:00Z`, payer.apiKey);
    expect(before.body).toMatchObject({ families: [], outcomes: 0 });
    const wrong = await send(app, 'GET', `${path}?from=2020-01-02T00:00:00Z&to=2020-01-01T00:00:00Z`, payer.apiKey);
    expect([wrong.status, reasonOf(wrong)]).toEqual([400, 'INVALID_ARGUMENT']);
    // One at a time, and without anything of another account.
    const both = await Promise.all([send(app, 'GET', path, payer.apiKey), send(app, 'GET', path, customer.apiKey)]);
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    expect(JSON.stringify(both[1]?.body)).not.toContain('listing');
  });
});
