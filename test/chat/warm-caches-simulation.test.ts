import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PricedModel, priceOf } from '../../src/catalog/index.ts';
import { chooseRoutes } from '../../src/chat/choose-routes.ts';
import { createWarmCaches, type PromptPrefix, type WarmCaches } from '../../src/chat/warm-caches.ts';
import { seeded } from '../support/seeded.ts';

/** A model whose provider caches prompts, as OpenAI and Anthropic do: for five minutes after the last use. */
interface CachingModel extends PricedModel {
  outages: { from: number; until: number }[];
  /** How often a cache that should be warm is. */
  hits: number;
}

interface Turn {
  at: number;
  conversation: number;
  isFirst: boolean;
  inputTokens: number;
  outputTokens: number;
  /** Decides whether a warm cache answers: the same whatever was routed where. */
  luck: number;
}

interface Run {
  cost: bigint;
  cachedTokens: number;
  /** Conversations that began elsewhere than at the cheapest, or as good as the cheapest. */
  dearBeginnings: number;
  /** Turns that left a route for another. */
  moves: number;
}

const hourMs = 3_600_000;
const warmMs = 300_000;

test('in economy, conversations that stay with a warm cache cost no more than without, and begin at the cheapest', () => {
  let saved = 0;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1_000_000 }), (seed) => {
      const { models, turns } = worldOf(seeded(seed));
      const without = simulate(models, turns, seeded(seed));
      let now = 0;
      const clock = { now: () => now, monotonic: () => now };
      const within = simulate(models, turns, seeded(seed), {
        caches: createWarmCaches({ clock }),
        at: (time) => {
          now = time;
        },
      });
      expect(within.cost).toBeLessThanOrEqual(without.cost);
      expect(within.dearBeginnings).toBe(0);
      expect(within.cachedTokens).toBeGreaterThanOrEqual(without.cachedTokens);
      expect(within.moves).toBeLessThan(without.moves);
      if (within.cost < without.cost) saved++;
    }),
    { seed: 20_261_122, numRuns: 20 },
  );
  expect(saved).toBe(20);
});

/** Models that cost nearly the same, or much more, and conversations of many turns whose prompts grow. */
function worldOf(random: () => number): { models: CachingModel[]; turns: Turn[] } {
  const models = Array.from({ length: 8 }, (_, index): CachingModel => {
    // Four are within the band that counts as a tie.
    const dollars = index < 4 ? 1 + index * 0.01 : 1 + random() * 4;
    const from = random() * hourMs;
    return {
      model: {
        name: `p${index}/m`,
        id: 'm',
        provider: `p${index}`,
        upstreamModel: 'm',
        quality: 50,
        contextTokens: 1_000_000,
        maxOutputTokens: 8_000,
        imageTokens: 1_000,
        capabilities: new Set(),
        embedded: false,
        lastResort: false,
      },
      price: priceAt(dollars, 0.1 + random() * 0.4, random() < 0.5 ? 1.25 : 1),
      outages: random() < 0.5 ? [{ from, until: from + random() * 10 * 60_000 }] : [],
      hits: 0.6 + random() * 0.4,
    };
  });
  const turns: Turn[] = [];
  for (let conversation = 0; conversation < 150; conversation++) {
    let at = random() * hourMs;
    let inputTokens = 1_500 + Math.floor(random() * 6_000);
    const length = 1 + Math.floor(random() * 10);
    for (let index = 0; index < length; index++) {
      const outputTokens = 50 + Math.floor(random() * 300);
      turns.push({ at, conversation, isFirst: index === 0, inputTokens, outputTokens, luck: random() });
      inputTokens += outputTokens + 50 + Math.floor(random() * 500);
      at += 5_000 + random() * 400_000;
    }
  }
  return { models, turns: turns.sort((a, b) => a.at - b.at) };
}

function simulate(
  models: readonly CachingModel[],
  turns: readonly Turn[],
  random: () => number,
  warm?: { caches: WarmCaches; at(time: number): void },
): Run {
  const run: Run = { cost: 0n, cachedTokens: 0, dearBeginnings: 0, moves: 0 };
  /** What each provider really has in its cache. */
  const kept = new Map<string, { tokens: number; at: number }>();
  const lastRoute = new Map<number, string>();
  for (const turn of turns) {
    warm?.at(turn.at);
    const { conversation, inputTokens, outputTokens } = turn;
    const prefix: PromptPrefix = { account: 'acc_1', conversation: `${conversation}`, headTokens: 0 };
    const available = ({ outages }: CachingModel) =>
      !outages.some(({ from, until }) => turn.at >= from && turn.at < until);
    const choice = chooseRoutes(
      {
        ...{ mode: 'economy', fallback: true, allow: [], deny: [], needs: new Set(), inputTokens, images: 0 },
        ...(warm && { cachedTokensOn: (route: string) => warm.caches.expect(prefix, route, inputTokens) }),
      },
      models,
      (route) => ({ available: models.some((each) => each.model.name === route && available(each)), inFlight: 0 }),
      random,
    );
    const chosen = choice.ok ? models.find(({ model }) => model.name === choice.routes[0]?.model.name) : undefined;
    if (!chosen) throw new Error('No model was available.');
    const { name } = chosen.model;

    if (turn.isFirst) {
      const cold = (each: CachingModel) => Number(priceOf({ inputTokens, outputTokens, requests: 1 }, each.price));
      const cheapest = Math.min(...models.filter(available).map(cold));
      if (cold(chosen) > cheapest * 1.06) run.dearBeginnings++;
    } else if (lastRoute.get(conversation) !== name) run.moves++;
    lastRoute.set(conversation, name);

    const place = `${conversation} ${name}`;
    const before = kept.get(place);
    const isWarm = before !== undefined && turn.at - before.at < warmMs && turn.luck < chosen.hits;
    const cachedInputTokens = isWarm ? Math.min(before.tokens, inputTokens) : 0;
    const cacheWriteInputTokens = inputTokens - cachedInputTokens;
    kept.set(place, { tokens: inputTokens, at: turn.at });
    const usage = { inputTokens, cachedInputTokens, cacheWriteInputTokens };
    warm?.caches.observe(prefix, name, usage);
    run.cachedTokens += cachedInputTokens;
    run.cost += priceOf({ ...usage, outputTokens, requests: 1 }, chosen.price);
  }
  return run;
}

function priceAt(dollars: number, cachedShare: number, writtenFactor: number): PricedModel['price'] {
  const nano = (usd: number) => BigInt(Math.round(usd * 1e9));
  return {
    version: 1,
    inputPerMillion: nano(dollars),
    cachedInputPerMillion: nano(dollars * cachedShare),
    cacheWriteInputPerMillion: nano(dollars * writtenFactor),
    outputPerMillion: nano(dollars * 3),
    perRequest: 0n,
  };
}
