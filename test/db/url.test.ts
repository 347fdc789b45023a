import { expect, test } from 'vitest';
import { parseDatabaseUrl, withDatabase } from '../../src/db/index.ts';

test('user, password, host, port and database are read, percent-decoded', () => {
  expect(parseDatabaseUrl('mysql://us%40er:p%2Fw@db.example:3307/ledger')).toEqual({
    host: 'db.example',
    port: 3307,
    user: 'us@er',
    password: 'p/w',
    database: 'ledger',
  });
});

test('a socket replaces host and port', () => {
  expect(parseDatabaseUrl('mysql://root@localhost/x?socket=%2Frun%2Fs.sock').socketPath).toBe('/run/s.sock');
});

test('TLS checks the certificate and the name of the server', () => {
  expect(parseDatabaseUrl('mysql://u@h/x?ssl-mode=VERIFY_IDENTITY').ssl).toMatchObject({
    rejectUnauthorized: true,
    verifyIdentity: true,
  });
});

test.each([
  ['mysql://u@h/x?sslmode=VERIFY_CA', /unknown parameter "sslmode"/],
  ['mysql://u@h/x?ssl-mode=required', /Known are DISABLED, VERIFY_CA and VERIFY_IDENTITY/],
  ['mysql://u@h/x?ssl-mode=DISABLED&ssl-ca=/ca.pem', /Keep one of them/],
  ['postgres://u@h/x', /must begin with mysql/],
  ['localhost:3306', /must begin with mysql/],
  ['what', /is not a URL/],
])('%s is refused, so that a slip never turns TLS off', (url, words) => {
  expect(() => parseDatabaseUrl(url)).toThrow(words);
});

test('another database on the same server', () => {
  expect(withDatabase('mysql://root@localhost/a?socket=%2Fs', 'b')).toBe('mysql://root@localhost/b?socket=%2Fs');
});
