import { expect, test } from 'vitest';
import { loadConfig, readEnvironment } from '../../src/config/index.ts';

const decided = (variables: Record<string, string>) => loadConfig(readEnvironment(variables));

test('variables that are not valid are all named, and a token is not quoted', () => {
  expect(() => decided({ PORT: 'http', LOG_LEVEL: 'loud', OPERATOR_TOKEN: 'swordfish' })).toThrow(
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
