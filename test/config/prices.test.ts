import { describe, expect, test } from 'vitest';
import { parseSettings } from '../../src/config/index.ts';

const tier = '{ aboveInputTokens: 200000, inputPerMillionUsd: "2", outputPerMillionUsd: "3" }';

function problemsOf(price: string): string {
  try {
    parseSettings(`models: [{ id: m, provider: openai, quality: 1, contextTokens: 9, price: ${price} }]`, 'test');
    return '';
  } catch (error) {
    return String(error);
  }
}

describe('the prices of a model', () => {
  test('may have tiers, each with its own rates', () => {
    expect(problemsOf(`{ inputPerMillionUsd: "1", outputPerMillionUsd: "2", tiers: [${tier}] }`)).toBe('');
  });

  test.each([
    ['tiers: []', 'models.0.price.tiers'],
    [`tiers: [${tier}, ${tier}]`, 'must not have two tiers with the same aboveInputTokens'],
    ['tiers: [{ aboveInputTokens: 0, inputPerMillionUsd: "2", outputPerMillionUsd: "3" }]', 'aboveInputTokens'],
    ['tiers: [{ aboveInputTokens: 5, inputPerMillionUsd: "2" }]', 'tiers.0.outputPerMillionUsd'],
    ['cacheWriteInputPerMillionUsd: 1.25', 'cacheWriteInputPerMillionUsd'],
  ])('%s is refused with its place', (price, told) => {
    expect(problemsOf(`{ ${price} }`)).toContain(told);
  });
});
