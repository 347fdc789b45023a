import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const patterns = globSync('proto/intelligence/**/*.proto').flatMap((file) =>
  [...readFileSync(file, 'utf8').matchAll(/pattern\s*[:=]\s*"((?:[^"\\]|\\.)*)"/g)].map(([, text = '']) => ({
    file,
    pattern: JSON.parse(`"${text}"`) as string,
  })),
);

test('patterns of the contract are anchored and repeat no repetition, so that a text of any length is matched in its length', () => {
  expect(patterns.length).toBeGreaterThan(10);
  for (const { file, pattern } of patterns) {
    expect(pattern, file).toMatch(/^\^.*\$$/s);
    expect(pattern, file).not.toMatch(/[+*}]\??\)[+*{]/);
    expect(() => new RegExp(pattern, 'u'), file).not.toThrow();
  }
});

test('patterns reach the validator through no expression of a rule', () => {
  for (const file of globSync('proto/intelligence/**/*.proto'))
    expect(readFileSync(file, 'utf8'), file).not.toContain('.matches(');
});
