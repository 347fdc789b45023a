import { expect, test } from 'vitest';
import { ConfigError, parseSettings } from '../../src/config/config.ts';

function problemsOf(text: string): readonly string[] {
  try {
    parseSettings(text, 'config.yaml');
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

const model = ['models:', '  - id: a', '    provider: openai', '    contextTokens: 1'];

test.each([
  ['a wrong value', 'http:\n  port: x', 'http.port (line 2): '],
  ['a missing value: the part that lacks it', model.join('\n'), 'models.0.quality (line 2): '],
  ['a missing value in flow style', 'models:\n  - { id: a,\n      provider: openai }', 'models.0.quality (line 2): '],
  ['an unknown key', 'http:\n  port: 1\n  prot: 2', 'http (line 3): Unrecognized key: "prot"'],
  ['an unknown key of the file', 'http: {}\nnothing: 1', 'the file (line 2): Unrecognized key: "nothing"'],
  ['an alias of nothing', 'http: *none', 'Unresolved alias'],
])('a problem names its line: %s', (_name, text, says) => {
  expect(problemsOf(text)).toContainEqual(expect.stringContaining(says));
});
