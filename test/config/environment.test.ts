import { expect, test } from 'vitest';
import { loadConfig, readEnvironment } from '../../src/config/index.ts';
import { operatorsOf } from '../../src/rooms/settings.ts';

const decided = (variables: Record<string, string>) => loadConfig(readEnvironment(variables));

function problemsOf(variables: Record<string, string>): string | undefined {
  try {
    decided(variables);
  } catch (error) {
    return (error as Error).message;
  }
  return undefined;
}

test('variables that are not valid are all named, and a token is not quoted', () => {
  const message = problemsOf({ PORT: 'http', LOG_LEVEL: 'loud', OPERATOR_TOKEN: 'swordfish' });
  expect(message).toBe(
    [
      'The configuration (defaults and environment) is not valid:',
      '  - PORT: must be a port number from 0 to 65535, not "http"',
      '  - LOG_LEVEL: must be one of fatal, error, warn, info, debug, silent, not "loud"',
      '  - OPERATOR_TOKEN: must have at least 32 characters; openssl rand -base64 32 makes one',
    ].join('\n'),
  );
});

test('an empty variable counts as unset', () => {
  expect(decided({ PORT: '', LOG_LEVEL: '', OPERATOR_TOKEN: '' })).toMatchObject({
    http: { port: 8_080 },
    log: { level: 'info' },
    operatorToken: undefined,
  });
});

test("OPERATOR_TOKEN is the only operator's token, whatever the secrets file has", () => {
  const token = 'an-operator-token-of-more-than-32-characters';
  const inFile = { operatorTokens: new Map([['ana', 'another-token-of-more-than-32-characters']]) };
  expect(operatorsOf(decided({ OPERATOR_TOKEN: token }), () => inFile)).toEqual([{ name: 'environment', token }]);
  expect(operatorsOf(decided({}), () => inFile)).toEqual([{ name: 'ana', token: inFile.operatorTokens.get('ana') }]);
});
