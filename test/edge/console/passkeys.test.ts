import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Answer, onboard, reasonOf, send, startApp, type TestApp } from '../../support/app.ts';
import { createAuthenticator, type Lies } from '../../support/authenticator.ts';
import { openBrowser, signIn, type TestBrowser } from '../../support/browser.ts';
import { eachServer, useDatabase } from '../../support/database.ts';

const site = 'https://console.example';
const settingsWith = (refusedPerMinute: number) =>
  `limits: { requestsPerMinute: 1000000, anonymous: { requestsPerMinute: 1000000, refusedPerMinute: ${refusedPerMinute} } }
http: { publicUrl: "${site}" }`;
const settings = settingsWith(1_000_000);

eachServer((server) => {
  const database = useDatabase(server);
  let app: TestApp;
  let other: TestApp;
  beforeAll(async () => {
    app = await startApp({ databaseUrl: database().url, settings });
    other = await startApp({ databaseUrl: database().url, settings });
  });
  afterAll(async () => {
    await app.close();
    await other.close();
  });

  const challenge = (browser: TestBrowser, purpose: string) =>
    browser.send('POST', '/console/passkeys/challenge', { for: purpose }, { origin: site });

  /** A passkey of whoever is signed in. */
  async function addPasskey(browser: TestBrowser, name = 'Laptop', lies: Lies = {}) {
    const authenticator = createAuthenticator(site);
    const asked = await challenge(browser, 'add');
    expect(asked.status, asked.text).toBe(200);
    const response = authenticator.create(asked.body.publicKey, lies);
    const added = await browser.send('POST', '/console/passkeys', { name, response });
    return { authenticator, added, response, options: asked.body.publicKey };
  }

  /** A new account, signed in, with a passkey. */
  async function withPasskey() {
    const customer = await onboard(app, '0');
    const browser = await signIn(app, customer.managementKey);
    const { authenticator, added } = await addPasskey(browser);
    expect(added.status, added.text).toBe(200);
    return { ...customer, browser, authenticator, passkey: added.body.passkey };
  }

  /** Answers a challenge to sign in, which the one node gave, at a node. */
  async function byPasskey(authenticator: ReturnType<typeof createAuthenticator>, lies: Lies = {}, at = app) {
    const browser = openBrowser(at);
    const { body } = await challenge(openBrowser(app), 'sign-in');
    const passkey = authenticator.get(body.publicKey, lies);
    return { browser, passkey, answer: await browser.send('POST', '/console/session', { passkey }) };
  }

  const listed = async (browser: TestBrowser) => (await browser.send('GET', '/console/passkeys')).body.passkeys;
  const outcome = (answer: Answer) => [answer.status, reasonOf(answer)];

  async function forgetConfirmations(browser: TestBrowser, ...calls: (() => Promise<Answer>)[]) {
    await database()
      .database.for<{ console_session: { confirmed_at_ms: number } }>()
      .updateTable('console_session')
      .set({ confirmed_at_ms: Date.now() - 601_000 })
      .execute();
    const add = () => challenge(browser, 'add');
    for (const call of [add, ...calls])
      await expect.poll(async () => reasonOf(await call()), { timeout: 20_000 }).toBe('CONFIRMATION_REQUIRED');
  }

  test('an owner adds a passkey, which signs in on any node as its key does', async () => {
    const customer = await onboard(app, '0');
    const browser = await signIn(app, customer.managementKey);
    expect((await browser.send('GET', '/console/session')).body.hasPasskey).toBe(false);
    const { authenticator, added, options } = await addPasskey(browser, '  Laptop ');
    expect(options).toMatchObject({
      rp: { id: 'console.example' },
      user: { displayName: 'Management key (A customer)' },
      attestation: 'none',
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      excludeCredentials: [],
    });
    expect(added.status, added.text).toBe(200);
    const { keyId } = (await browser.send('GET', '/console/session')).body;
    const line = { id: expect.stringMatching(/^psk_/), name: 'Laptop', multiDevice: false, keyId };
    expect(added.body.passkey).toEqual({ ...line, createdAt: expect.any(String) });
    expect((await browser.send('GET', '/console/session')).body.hasPasskey).toBe(true);

    const { browser: next, answer } = await byPasskey(authenticator, {}, other);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.body).toMatchObject({ role: 'owner', accountId: customer.accountId, keyId });
    expect((await next.send('GET', '/v1/wallet')).status).toBe(200);
    expect(await listed(next)).toEqual([{ ...line, createdAt: expect.any(String), usedAt: expect.any(String) }]);
    // The same authenticator is not asked for a second one.
    const again = await challenge(browser, 'add');
    expect(again.body.publicKey.excludeCredentials).toEqual([{ type: 'public-key', id: authenticator.credentialId }]);
  });

  test('an operator has passkeys of its own', async () => {
    const browser = await signIn(app, app.operatorToken);
    const { authenticator, added } = await addPasskey(browser);
    expect(added.status, added.text).toBe(200);
    const { answer } = await byPasskey(authenticator);
    expect(answer.body).toMatchObject({ role: 'operator', operator: 'environment' });
    const { browser: stranger, passkey } = await withPasskey();
    expect((await listed(stranger)).map(({ id }: { id: string }) => id)).toEqual([passkey.id]);
    expect((await browser.send('DELETE', `/console/passkeys/${passkey.id}`)).status).toBe(404);
    expect((await stranger.send('DELETE', `/console/passkeys/${added.body.passkey.id}`)).status).toBe(404);
    const events = await send(
      app,
      'GET',
      '/v1/audit-events?actor=operator:environment&action=passkey.create',
      app.operatorToken,
    );
    expect(events.body.events[0]).toMatchObject({ action: 'passkey.create', target: added.body.passkey.id });
    expect((await browser.send('DELETE', `/console/passkeys/${added.body.passkey.id}`)).status).toBe(204);
  });

  test('a challenge is answered once, in time, and for what it was given', async () => {
    const { authenticator, browser } = await withPasskey();
    const first = await byPasskey(authenticator);
    expect(first.answer.status).toBe(200);
    const { passkey } = first;
    const replayed = await openBrowser(app).send('POST', '/console/session', { passkey });
    expect(outcome(replayed)).toEqual([409, 'PRECONDITION_FAILED']);
    expect(replayed.headers.getSetCookie()).toEqual([]);

    // One to confirm does not sign in, and one to sign in does not confirm or add.
    const toConfirm = authenticator.get((await challenge(browser, 'confirm')).body.publicKey);
    const misused = await openBrowser(app).send('POST', '/console/session', { passkey: toConfirm });
    expect(outcome(misused)).toEqual([409, 'PRECONDITION_FAILED']);
    const toSignIn = authenticator.get((await challenge(browser, 'sign-in')).body.publicKey);
    const confirmed = await browser.send('POST', '/console/session/confirm', { passkey: toSignIn });
    expect(outcome(confirmed)).toEqual([409, 'PRECONDITION_FAILED']);
    const { publicKey } = (await challenge(browser, 'sign-in')).body;
    const options = { ...publicKey, rp: { id: 'console.example' }, user: { id: 'AAAA' } };
    const response = createAuthenticator(site).create(options);
    const added = await browser.send('POST', '/console/passkeys', { name: 'x', response });
    expect(outcome(added)).toEqual([409, 'PRECONDITION_FAILED']);

    const late = (await challenge(openBrowser(app), 'sign-in')).body.publicKey;
    await database()
      .database.for<{ console_challenge: { expires_at_ms: number } }>()
      .updateTable('console_challenge')
      .set({ expires_at_ms: Date.now() })
      .execute();
    const tooLate = await openBrowser(app).send('POST', '/console/session', { passkey: authenticator.get(late) });
    expect(outcome(tooLate)).toEqual([409, 'PRECONDITION_FAILED']);
    const invented = authenticator.get({ challenge: 'A'.repeat(43), rpId: 'console.example' });
    const unknown = await openBrowser(app).send('POST', '/console/session', { passkey: invented });
    expect(outcome(unknown)).toEqual([409, 'PRECONDITION_FAILED']);
  });

  test('a challenge of another session neither confirms nor adds', async () => {
    const { authenticator, browser, managementKey } = await withPasskey();
    const second = await signIn(app, managementKey);
    const passkey = authenticator.get((await challenge(second, 'confirm')).body.publicKey);
    const confirmed = await browser.send('POST', '/console/session/confirm', { passkey });
    expect(outcome(confirmed)).toEqual([409, 'PRECONDITION_FAILED']);
    const response = createAuthenticator(site).create((await challenge(second, 'add')).body.publicKey);
    const added = await browser.send('POST', '/console/passkeys', { name: 'x', response });
    expect(outcome(added)).toEqual([409, 'PRECONDITION_FAILED']);
    expect(await listed(browser)).toHaveLength(1);
  });

  test('nothing but a true answer signs in', async () => {
    const { authenticator } = await withPasskey();
    const stranger = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    const lies: Record<string, Lies> = {
      'of another origin': { origin: 'https://evil.example' },
      'of another port': { origin: `${site}:8443` },
      'of plain HTTP': { origin: site.replace('https', 'http') },
      'for another rp id': { rpId: 'evil.example' },
      'without a person who was verified': { verified: false },
      'with another signature': { key: stranger },
      'of another user': { userHandle: 'AAAA' },
      'without a user': { userHandle: '' },
      'of a creation': { type: 'webauthn.create' },
      'that can suddenly be backed up': { backupEligible: true },
    };
    for (const [name, lie] of Object.entries(lies)) {
      const { answer, browser } = await byPasskey(authenticator, lie);
      expect([name, ...outcome(answer), browser.cookie()]).toEqual([name, 401, 'CREDENTIAL_INVALID', undefined]);
    }
    const framed = await byPasskey(authenticator, { crossOrigin: true });
    expect(framed.answer.status).toBe(400);
    expect((await byPasskey(createAuthenticator(site))).answer.status, 'a passkey that was never added').toBe(401);
    expect((await byPasskey(authenticator)).answer.status).toBe(200);
  });

  test('a counter that does not go up is refused, and one that stays 0 is not', async () => {
    const { authenticator } = await withPasskey();
    for (const [signCount, status] of [
      [0, 200],
      [0, 200],
      [7, 200],
      [7, 401],
      [6, 401],
      [0, 401],
      [8, 200],
    ] as const)
      expect([signCount, (await byPasskey(authenticator, { signCount })).answer.status]).toEqual([signCount, status]);
  });

  test('what is no passkey is not added', async () => {
    const customer = await onboard(app, '0');
    const browser = await signIn(app, customer.managementKey);
    const lies: Record<string, Lies> = {
      'of another origin': { origin: 'https://evil.example' },
      'for another rp id': { rpId: 'evil.example' },
      'without a person who was verified': { verified: false },
      'of a request': { type: 'webauthn.get' },
      'with certificates': { attestation: 'packed' },
      'of a format that fetches': { attestation: 'apple' },
      'with another id than its browser says': { credentialId: Buffer.from('another') },
      'without an id': { credentialId: Buffer.alloc(0) },
      'with an id longer than there are': { credentialId: Buffer.alloc(1_024) },
    };
    for (const [name, lie] of Object.entries(lies)) {
      const { added } = await addPasskey(browser, 'x', lie);
      expect([name, ...outcome(added)]).toEqual([name, 400, 'INVALID_ARGUMENT']);
    }
    for (const body of [{}, { name: 'x' }, { name: '', response: {} }, { name: 'x', response: [] }, []])
      expect((await browser.send('POST', '/console/passkeys', body)).status).toBe(400);
    const long = (await challenge(browser, 'add')).body.publicKey;
    const response = createAuthenticator(site).create(long);
    expect((await browser.send('POST', '/console/passkeys', { name: 'x'.repeat(101), response })).status).toBe(400);
    expect(await listed(browser)).toEqual([]);
    expect((await challenge(browser, 'other')).status).toBe(400);
    for (const passkey of [null, 'x', {}, { id: 'x' }, []])
      expect((await openBrowser(app).send('POST', '/console/session', { passkey })).status).toBe(400);
  });

  test('a passkey that is known already is not added to another account', async () => {
    const { authenticator, browser } = await withPasskey();
    const { managementKey } = await onboard(app, '0');
    const thief = await signIn(app, managementKey);
    const response = authenticator.create((await challenge(thief, 'add')).body.publicKey);
    const added = await thief.send('POST', '/console/passkeys', { name: 'mine', response });
    expect(outcome(added)).toEqual([409, 'ALREADY_EXISTS']);
    expect(added.body.error.message).toBe('The passkey exists already. Change or remove that one, or make another.');
    expect(await listed(thief)).toEqual([]);
    expect(await listed(browser)).toHaveLength(1);
  });

  test('a passkey that two accounts add at one time is that of one', async () => {
    const authenticator = createAuthenticator(site);
    const browsers = await Promise.all(
      Array.from({ length: 6 }, async () => signIn(app, (await onboard(app, '0')).managementKey)),
    );
    const answers = await Promise.all(
      browsers.map(async (browser) => {
        const { body } = await challenge(browser, 'add');
        const response = authenticator.create(body.publicKey);
        return browser.send('POST', '/console/passkeys', { name: 'ours', response });
      }),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const theirs = await Promise.all(browsers.map(listed));
    expect(theirs.flat()).toHaveLength(1);
  });

  test('a name has no control characters, and no half of a character', async () => {
    const { browser } = await withPasskey();
    for (const name of ['a\u0000b', 'a\nb', 'a\u007f', '\ud83d']) {
      const { added } = await addPasskey(browser, name);
      expect([name, ...outcome(added)]).toEqual([name, 400, 'INVALID_ARGUMENT']);
      expect(added.body.error.message).toContain('name');
    }
    expect((await addPasskey(browser, 'Schlüssel 🔑')).added.status).toBe(200);
  });

  test('a key has at most ten', async () => {
    const { browser } = await withPasskey();
    for (let count = 1; count < 9; count++) expect((await addPasskey(browser)).added.status).toBe(200);
    const [one, two] = [(await challenge(browser, 'add')).body, (await challenge(browser, 'add')).body];
    const both = await Promise.all(
      [one, two].map(({ publicKey }) => {
        const response = createAuthenticator(site).create(publicKey);
        return browser.send('POST', '/console/passkeys', { name: 'at one time', response });
      }),
    );
    expect(both.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await listed(browser)).toHaveLength(10);
    expect(outcome(await challenge(browser, 'add'))).toEqual([409, 'PRECONDITION_FAILED']);
  });

  test('adding needs the key within ten minutes, and a passkey stands in for it', async () => {
    const { authenticator, browser, managementKey } = await withPasskey();
    const make = () => browser.send('POST', '/v1/keys', { displayName: 'k', purpose: 'p', kind: 'management' });
    await forgetConfirmations(browser, make);

    // That of another account does not confirm, though its challenge is the session's own.
    const theirs = await withPasskey();
    const { publicKey } = (await challenge(browser, 'confirm')).body;
    expect(publicKey.allowCredentials).toEqual([{ type: 'public-key', id: authenticator.credentialId }]);
    const foreign = await browser.send('POST', '/console/session/confirm', {
      passkey: theirs.authenticator.get(publicKey),
    });
    expect(outcome(foreign)).toEqual([401, 'CREDENTIAL_INVALID']);
    expect(reasonOf(await make())).toBe('CONFIRMATION_REQUIRED');

    const passkey = authenticator.get((await challenge(browser, 'confirm')).body.publicKey);
    const confirmed = await browser.send('POST', '/console/session/confirm', { passkey });
    expect(confirmed.status, confirmed.text).toBe(200);
    expect((await make()).status).toBe(200);
    expect((await addPasskey(browser)).added.status).toBe(200);

    await forgetConfirmations(browser);
    expect((await browser.send('POST', '/console/session/confirm', { key: managementKey })).status).toBe(200);
    expect((await addPasskey(browser)).added.status).toBe(200);
    const none = await signIn(app, (await onboard(app, '0')).managementKey);
    expect(outcome(await challenge(none, 'confirm'))).toEqual([409, 'PRECONDITION_FAILED']);
  });

  test('removing a passkey ends the sessions that began with it, and is on record', async () => {
    const { accountId, authenticator, browser, passkey } = await withPasskey();
    const { browser: by } = await byPasskey(authenticator);
    expect((await by.send('GET', '/v1/wallet')).status).toBe(200);
    expect((await browser.send('DELETE', `/console/passkeys/${passkey.id}`)).status).toBe(204);
    expect(reasonOf(await by.send('GET', '/v1/wallet'))).toBe('SESSION_ENDED');
    expect((await browser.send('GET', '/v1/wallet')).status).toBe(200);
    expect(outcome((await byPasskey(authenticator)).answer)).toEqual([401, 'CREDENTIAL_INVALID']);
    expect((await browser.send('DELETE', `/console/passkeys/${passkey.id}`)).status).toBe(404);
    const events = await send(app, 'GET', `/v1/audit-events?accountId=${accountId}`, app.operatorToken);
    const { keyId } = (await browser.send('GET', '/console/session')).body;
    expect(events.body.events.slice(0, 2)).toEqual([
      expect.objectContaining({ action: 'passkey.delete', actor: keyId, target: passkey.id, accountId }),
      expect.objectContaining({
        ...{ action: 'passkey.create', actor: keyId, target: passkey.id, accountId },
        details: { displayName: 'Laptop' },
      }),
    ]);
  });

  test('rotating or revoking the key ends its passkeys, on every node', async () => {
    const { authenticator, browser, managementKey, passkey } = await withPasskey();
    const { keyId } = passkey;
    const { browser: by } = await byPasskey(authenticator);
    const rotated = await send(app, 'POST', `/v1/keys/${keyId}:rotate`, managementKey, { overlapSeconds: 3_600 });
    expect(rotated.status, rotated.text).toBe(200);
    expect(reasonOf(await by.send('GET', '/v1/wallet'))).toBe('SESSION_ENDED');
    expect(reasonOf(await browser.send('GET', '/v1/wallet'))).toBe('SESSION_ENDED');
    expect(outcome((await byPasskey(authenticator)).answer)).toEqual([401, 'KEY_REVOKED']);
    await expect
      .poll(async () => outcome((await byPasskey(authenticator, {}, other)).answer), { timeout: 20_000 })
      .toEqual([401, 'KEY_REVOKED']);
    const next = await signIn(app, rotated.body.secret);
    expect(await listed(next)).toEqual([]);
    // It can be made anew, in the place of the one before.
    const again = authenticator.create((await challenge(next, 'add')).body.publicKey);
    expect((await next.send('POST', '/console/passkeys', { name: 'anew', response: again })).status).toBe(200);
    expect((await byPasskey(authenticator)).answer.status).toBe(200);

    const made = { displayName: 'k', purpose: 'p', kind: 'management' };
    const second = await send(app, 'POST', '/v1/keys', rotated.body.secret, made);
    const person = await signIn(app, second.body.secret);
    const { authenticator: theirs } = await addPasskey(person);
    expect((await byPasskey(theirs)).answer.status).toBe(200);
    // Those of all keys of the account are listed, as its sessions are.
    expect(await listed(next)).toHaveLength(2);
    await send(app, 'POST', `/v1/keys/${second.body.key.keyId}:revoke`, rotated.body.secret);
    expect(outcome((await byPasskey(theirs)).answer)).toEqual([401, 'KEY_REVOKED']);
    expect(await listed(next)).toHaveLength(1);
  });

  test('passkeys of keys that were revoked or rotated are deleted, and no others', async () => {
    const stays = await withPasskey();
    const rotated = await withPasskey();
    const revoked = await withPasskey();
    const suspended = await withPasskey();
    const path = `/v1/keys/${revoked.passkey.keyId}`;
    const other = { displayName: 'k', purpose: 'p', kind: 'management' };
    await send(app, 'POST', '/v1/keys', revoked.managementKey, other);
    await send(app, 'POST', `${path}:revoke`, revoked.managementKey);
    await send(app, 'POST', `/v1/keys/${rotated.passkey.keyId}:rotate`, rotated.managementKey, {});
    await send(app, 'POST', `/v1/accounts/${suspended.accountId}:suspend`, app.operatorToken, { reason: 'a test' });
    const db = database().database.for<{ console_passkey: { id: string; created_at_ms: number } }>();
    const left = async () => {
      const ours = [stays, rotated, revoked, suspended].map(({ passkey }) => passkey.id);
      const rows = await db.selectFrom('console_passkey').select('id').where('id', 'in', ours).execute();
      return new Set(rows.map(({ id }) => String(id)));
    };
    await app.rooms.sessions.sweep();
    // What was made a moment ago may be of a secret that this node does not know of yet.
    expect((await left()).size).toBe(4);
    await db
      .updateTable('console_passkey')
      .set({ created_at_ms: Date.now() - 601_000 })
      .execute();
    await app.rooms.sessions.sweep();
    expect(await left()).toEqual(new Set([stays.passkey.id, suspended.passkey.id]));
    expect((await byPasskey(stays.authenticator)).answer.status).toBe(200);
  });

  test('a passkey made with a secret that ends works no longer than that', async () => {
    const { managementKey } = await onboard(app, '0');
    const first = await signIn(app, managementKey);
    const { keyId } = (await first.send('GET', '/console/session')).body;
    await send(app, 'POST', `/v1/keys/${keyId}:rotate`, managementKey, { overlapSeconds: 3_600 });
    const late = await signIn(app, managementKey);
    const { authenticator, added } = await addPasskey(late);
    expect(added.status, added.text).toBe(200);
    const { browser, answer } = await byPasskey(authenticator);
    expect(answer.status, answer.text).toBe(200);
    const [session] = (await browser.send('GET', '/console/sessions')).body.sessions;
    expect(Date.parse(session.expiresAt) - Date.now()).toBeLessThanOrEqual(3_600_000);
    const passkeys = database().database.for<{ console_passkey: { id: string; expires_at_ms: number | null } }>();
    const end = (at: number) =>
      passkeys
        .updateTable('console_passkey')
        .set({ expires_at_ms: at })
        .where('id', '=', added.body.passkey.id)
        .execute();
    await end(Date.now());
    expect(outcome((await byPasskey(authenticator)).answer)).toEqual([401, 'KEY_REVOKED']);
    await end(Date.now() + 3_600_000);
    expect((await byPasskey(authenticator)).answer.status).toBe(200);
  });

  test('a suspended account is not signed in to', async () => {
    const { accountId, authenticator } = await withPasskey();
    const suspend = (verb: string) =>
      send(app, 'POST', `/v1/accounts/${accountId}:${verb}`, app.operatorToken, { reason: 'a test' });
    expect((await suspend('suspend')).status).toBe(200);
    expect(outcome((await byPasskey(authenticator)).answer)).toEqual([403, 'ACCOUNT_SUSPENDED']);
    expect((await suspend('resume')).status).toBe(200);
    expect((await byPasskey(authenticator)).answer.status).toBe(200);
  });

  test('the routes take what a page of the service sends, at its own origin', async () => {
    const { browser, passkey } = await withPasskey();
    const forged = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
    for (const [method, path, body] of [
      ['POST', '/console/passkeys/challenge', { for: 'sign-in' }],
      ['POST', '/console/passkeys', { name: 'x', response: {} }],
      ['GET', '/console/passkeys', undefined],
      ['DELETE', `/console/passkeys/${passkey.id}`, undefined],
    ] as const) {
      expect(outcome(await browser.send(method, path, body, forged))).toEqual([403, 'NOT_FROM_CONSOLE']);
      if (method !== 'GET')
        expect((await browser.send(method, path, body, { 'x-console': '' })).status, path).toBe(403);
      if (body && path.endsWith('keys'))
        expect(outcome(await openBrowser(app).send(method, path, body))).toEqual([401, 'SESSION_ENDED']);
    }
    for (const purpose of ['add', 'confirm'])
      expect(outcome(await challenge(openBrowser(app), purpose))).toEqual([401, 'SESSION_ENDED']);
    const elsewhere = await openBrowser(app).send(
      'POST',
      '/console/passkeys/challenge',
      { for: 'sign-in' },
      { origin: app.url },
    );
    expect(outcome(elsewhere)).toEqual([409, 'PRECONDITION_FAILED']);
    expect(elsewhere.text).toContain(site);
    expect(await listed(browser)).toHaveLength(1);
  });

  test('only public keys are stored, and challenges as hashes, of which an address has at most a hundred', async () => {
    const { publicKey } = (await challenge(openBrowser(app), 'sign-in')).body;
    const tables = database().database.for<{
      console_challenge: { digest: Buffer; network: string; purpose: string };
    }>();
    const rows = await tables.selectFrom('console_challenge').select(['digest', 'network']).execute();
    expect(rows.map(({ digest }) => digest.toString('base64url'))).not.toContain(publicKey.challenge);
    for (let count = 0; count < 110; count++) await challenge(openBrowser(app), 'sign-in');
    const open = await tables.selectFrom('console_challenge').select(['network', 'purpose']).execute();
    const ofAddress = open.filter(({ purpose }) => purpose === 'sign-in');
    expect(ofAddress).toHaveLength(100);
    // Those of people who are signed in are counted by their session, and stay.
    const ofSessions = open.filter(({ purpose }) => purpose !== 'sign-in');
    expect(ofSessions.length).toBeGreaterThan(0);
    expect(ofSessions.map(({ network }) => network)).not.toContain(ofAddress[0]?.network);
    const forgotten = createAuthenticator(site).get(publicKey);
    const answer = await openBrowser(app).send('POST', '/console/session', { passkey: forgotten });
    expect(outcome(answer)).toEqual([409, 'PRECONDITION_FAILED']);
  });

  test('wrong passkeys are counted against the address', async () => {
    const { authenticator } = await withPasskey();
    const strict = await startApp({ databaseUrl: database().url, settings: settingsWith(10) });
    try {
      const answers: (string | undefined)[] = [];
      while (answers.length < 60 && answers.at(-1) !== 'RATE_LIMITED')
        answers.push(reasonOf((await byPasskey(authenticator, { verified: false }, strict)).answer));
      expect(answers[0]).toBe('CREDENTIAL_INVALID');
      expect(answers.at(-1)).toBe('RATE_LIMITED');
      expect(outcome(await challenge(openBrowser(strict), 'sign-in'))).toEqual([429, 'RATE_LIMITED']);
    } finally {
      await strict.close();
    }
  });
});
