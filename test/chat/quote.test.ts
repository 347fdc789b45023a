import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Price, PricedModel } from '../../src/catalog/index.ts';
import { affordableOutputTokens, attemptCost, quoteCeiling } from '../../src/chat/quote.ts';
import { type InputMeasure, inputKindsOf, inputTokensAtMost } from '../../src/chat/tokens.ts';
import { anyKinds, anyRates, usageWithin } from '../catalog/rates.ts';

const anyRoute: fc.Arbitrary<PricedModel> = fc.record({
  price: anyRates.map((rates): Price => ({ ...rates, version: 1 })),
  model: fc
    .record({
      contextTokens: fc.integer({ min: 1, max: 2_000_000 }),
      maxOutputTokens: fc.integer({ min: 1, max: 128_000 }),
      imageTokens: fc.nat(40_000),
      reasons: fc.boolean(),
    })
    .map(({ reasons, ...model }) => ({
      ...model,
      name: 'p/m',
      id: 'm',
      provider: 'p',
      upstreamModel: 'm',
      quality: 50,
      capabilities: new Set(reasons ? (['reasoning'] as const) : []),
      embedded: false,
      lastResort: false,
    })),
});

const anyMeasure: fc.Arbitrary<InputMeasure> = fc
  .record({
    bytes: fc.oneof(fc.nat(2_000), fc.nat(1_500_000)),
    messages: fc.integer({ min: 1, max: 300 }),
    tools: fc.nat(2),
    images: fc.nat(3),
    documents: fc.nat(1),
    fileBytes: fc.nat(100_000),
    audios: fc.nat(1),
    audioBytes: fc.nat(100_000),
    hourLongPoints: fc.nat(1),
  })
  .map((measure) => (measure.documents + measure.audios > 0 ? measure : { ...measure, fileBytes: 0, audioBytes: 0 }));

const anyTerms = fc.record({
  maxOutputTokens: fc.option(fc.integer({ min: 1, max: 200_000 }), { nil: undefined }),
  maxCost: fc.option(fc.bigInt(0n, 10n ** 12n), { nil: undefined }),
  attemptsAddUp: fc.boolean(),
});

const anyRoutes = fc.array(anyRoute, { minLength: 1, maxLength: 3 });

test('whatever the providers state within the bounds of tokens, the ceiling pays for it', () => {
  const anyCase = fc.tuple(anyRoutes, anyMeasure, anyTerms).chain(([routes, measure, terms]) => {
    const quote = quoteCeiling(routes, measure, terms);
    const usages = quote.routes.map(({ model, outputTokensCap }) =>
      usageWithin(inputTokensAtMost(measure, model), outputTokensCap, inputKindsOf(measure)),
    );
    return fc.record({ quote: fc.constant(quote), terms: fc.constant(terms), usages: fc.tuple(...usages) });
  });
  fc.assert(
    fc.property(anyCase, ({ quote, terms, usages }) => {
      let spent = 0n;
      for (const [index, route] of quote.routes.entries()) {
        const usage = usages[index];
        if (!usage) throw new Error('A route has no usage.');
        const cost = attemptCost(route, usage);
        expect(cost).toBeLessThanOrEqual(route.worst);
        spent = terms.attemptsAddUp ? spent + cost : cost;
        expect(spent).toBeLessThanOrEqual(quote.ceiling);
        if (terms.maxCost !== undefined) expect(spent).toBeLessThanOrEqual(terms.maxCost);
      }
      if (quote.ceiling > 0n) expect(quote.minimum).toBeLessThanOrEqual(quote.ceiling);
    }),
    { numRuns: 1_000 },
  );
});

test('with less held, a reply of the length that it affords is paid for, however its input counts', () => {
  const anyCase = fc
    .tuple(anyRoute, fc.nat(1_100_000), fc.bigInt(0n, 10n ** 13n), anyKinds)
    .map(([route, inputTokens, held, kinds]) => ({
      ...{ route, inputTokens, held, kinds },
      affordable: Math.min(affordableOutputTokens(route, { inputTokens, ...kinds }, held), 1_000_000),
    }))
    .filter(({ affordable }) => affordable >= 1)
    .chain((one) =>
      fc.record({ one: fc.constant(one), usage: usageWithin(one.inputTokens, one.affordable, one.kinds) }),
    );
  fc.assert(
    fc.property(anyCase, ({ one: { route, held }, usage }) => {
      expect(attemptCost(route, usage)).toBeLessThanOrEqual(held);
    }),
    { numRuns: 1_000 },
  );
});
