import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Capability, PricedModel } from '../../src/catalog/index.ts';
import { priceOf } from '../../src/catalog/index.ts';
import { chooseRoutes } from '../../src/chat/choose-routes.ts';
import { createCircuitBreaker } from '../../src/chat/index.ts';
import { seeded } from '../support/seeded.ts';

/** A hundred models, minutes of traffic in virtual time, outages and price changes, from one seed. */
interface World {
  models: SimulatedModel[];
  random: () => number;
}

interface SimulatedModel extends PricedModel {
  firstTokenMs: number;
  outages: { from: number; until: number }[];
  /** What all requests would have cost on this model alone. */
  alone: bigint;
  /** Times of calls that began. */
  calls: number[];
}

const durationMs = 60_000;
const requestsPerSecond = 400;
const accounts = 50;

describe('economy over a hundred models', () => {
  test('costs less than any single model that does the job, answers through outages, and runs over no model that recovers', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
        const world = worldOf(seed);
        const run = simulate(world);
        // Of 24,000. The second example leaves two: what a request may try is bounded, and outages overlap.
        expect(run.unanswered).toBeLessThanOrEqual(5);
        for (const { model, alone } of world.models) {
          if (model.capabilities.size < 3) continue;
          expect(run.cost).toBeLessThan(alone);
        }
        for (const model of world.models)
          for (const { until } of model.outages) {
            // One that was hardly called in its outage never opened its circuit, and is called as before.
            if (!run.openAtEnd.has(model)) continue;
            // With at least 50 ms a call: one, two, four, eight.
            const early = model.calls.filter((at) => at >= until && at < until + 200).length;
            expect(early).toBeLessThanOrEqual(20);
          }
      }),
      { seed: 20_261_122, numRuns: 3, examples: [[999_981], [533_943]] },
    );
  });
});

function worldOf(seed: number): World {
  const random = seeded(seed);
  const kinds: Capability[] = ['tools', 'json', 'images'];
  const models = Array.from({ length: 100 }, (_, index): SimulatedModel => {
    const everything = index % 10 === 0;
    const can = kinds.filter(() => everything || random() < 0.4);
    // What can do more costs more, as it is in life.
    const dollars = (0.05 + random()) * (1 + can.length * 2);
    const from = random() * durationMs * 0.8;
    return {
      model: {
        name: `p${index % 7}/m${index}`,
        id: `m${index}`,
        provider: `p${index % 7}`,
        upstreamModel: `m${index}`,
        quality: Math.floor(random() * 100),
        contextTokens: 100_000,
        maxOutputTokens: 8_000,
        imageTokens: 1_000,
        capabilities: new Set(can),
        embedded: false,
        lastResort: false,
      },
      price: priceAt(dollars),
      firstTokenMs: 50 + random() * 200,
      outages: random() < 0.5 ? [{ from, until: from + 3_000 + random() * 8_000 }] : [],
      alone: 0n,
      calls: [],
    };
  });
  return { models, random };
}

function simulate({ models, random }: World) {
  let now = 0;
  const breaker = createCircuitBreaker({ clock: { now: () => now, monotonic: () => now }, random });
  const byName = new Map(models.map((model) => [model.model.name, model]));
  const later: { at: number; run: () => void }[] = [];
  const result = { cost: 0n, unanswered: 0, openAtEnd: new Set<SimulatedModel>() };

  const after = (ms: number, run: () => void) => later.push({ at: now + ms, run });

  function request(): void {
    const account = `acc_${Math.floor(random() * accounts)}`;
    const usage = { inputTokens: 100 + Math.floor(random() * 2_000), outputTokens: 50 + Math.floor(random() * 500) };
    const needs = new Set<Capability>((['tools', 'json', 'images'] as const).filter(() => random() < 0.3));
    const choice = chooseRoutes(
      { mode: 'economy', fallback: true, allow: [], deny: [], needs, inputTokens: usage.inputTokens, images: 0 },
      models,
      (route) => breaker.status(route, account),
      random,
    );
    for (const model of models)
      if (model.model.capabilities.size === 3) model.alone += priceOf({ ...usage, requests: 1 }, model.price);
    if (choice.ok)
      attempt(
        account,
        choice.routes.map(({ model }) => model.name),
        usage,
      );
    else result.unanswered++;
  }

  function attempt(
    account: string,
    [name, ...rest]: string[],
    usage: { inputTokens: number; outputTokens: number },
  ): void {
    const model = name === undefined ? undefined : byName.get(name);
    if (!model) {
      result.unanswered++;
      return;
    }
    model.calls.push(now);
    const call = breaker.begin(model.model.name, account);
    const isDown = model.outages.some(({ from, until }) => now >= from && now < until);
    after(isDown ? 20 : model.firstTokenMs, () => {
      if (isDown) {
        call.failed({ outcome: 'server_error' });
        attempt(account, rest, usage);
        return;
      }
      call.succeeded({
        firstTokenMs: model.firstTokenMs,
        totalMs: model.firstTokenMs * 2,
        outputTokens: usage.outputTokens,
      });
      result.cost += priceOf({ ...usage, requests: 1 }, model.price);
    });
  }

  for (; now < durationMs; now += 10) {
    if (now === durationMs / 2)
      for (const model of models) model.price = priceAt((0.05 + random()) * (1 + model.model.capabilities.size * 2));
    for (const due of later.filter(({ at }) => at <= now)) {
      later.splice(later.indexOf(due), 1);
      due.run();
    }
    for (const model of models)
      if (model.outages.some(({ until }) => until > now - 10 && until <= now))
        if (breaker.circuits().some(({ route }) => route === model.model.name)) result.openAtEnd.add(model);
    for (let index = 0; index < (requestsPerSecond * 10) / 1_000; index++) request();
  }
  return result;
}

function priceAt(dollarsPerMillion: number): PricedModel['price'] {
  const input = BigInt(Math.round(dollarsPerMillion * 1e9));
  return { version: 1, inputPerMillion: input, outputPerMillion: input * 3n, perRequest: 0n };
}
