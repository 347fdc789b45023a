import { expect, test } from 'vitest';
import { fail, type Result, succeed } from '../../src/base/failure.ts';
import { createSessions, type SessionHolder, type Sessions } from '../../src/sessions/index.ts';
import { eachServer, silent, useDatabase } from '../support/database.ts';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const owner: SessionHolder = { role: 'owner', accountId: 'acc_1', keyId: 'key_1' };
const operator: SessionHolder = { role: 'operator', operator: 'ann' };

eachServer((server) => {
  const database = useDatabase(server);
  let now = Date.parse('2026-05-01T00:00:00Z');
  const clock = { now: () => now, monotonic: () => now };
  const pass = (ms: number) => {
    now += ms;
  };
  /** By the name of the holder. */
  const credentials = new Map<string, Result<string>>();
  const nameOf = (holder: SessionHolder) => (holder.role === 'owner' ? holder.keyId : holder.operator);

  function openRoom(more: { lookUps?: { may(): Result<void>; failed(): void } } = {}): Sessions {
    const db = database().database;
    return createSessions({
      ...{ db, clock, log: silent, ...more },
      ...{ passkeySite: () => undefined, record: async () => {} },
      credentialOf: (holder) => credentials.get(nameOf(holder)) ?? succeed('one'),
    });
  }

  async function begin(room: Sessions, holder: SessionHolder, until?: number) {
    const opened = await room.open(holder, { agent: 'Firefox', until });
    if (!opened.ok) throw new Error(opened.failure.kind);
    return opened.value;
  }

  const outcome = async (room: Sessions, secret: string) => {
    const verified = await room.verify(secret);
    return verified.ok ? 'goes on' : verified.failure.kind;
  };

  test.each([
    ['an owner', owner, 60 * minuteMs, 12 * hourMs],
    ['an operator', operator, 15 * minuteMs, hourMs],
  ])('the session of %s ends when it is not used, and when its time is over', async (_name, holder, idle, life) => {
    const room = openRoom();
    const unused = await begin(room, holder);
    const used = await begin(room, holder);
    const startedAt = now;
    pass(idle - 1);
    expect(await outcome(room, used.secret)).toBe('goes on');
    pass(1);
    expect(await outcome(room, unused.secret)).toBe('session_ended');
    while (now < startedAt + life - minuteMs) {
      expect(await outcome(room, used.secret)).toBe('goes on');
      pass(Math.min(idle / 2, startedAt + life - minuteMs - now));
    }
    expect(await outcome(room, used.secret)).toBe('goes on');
    pass(minuteMs);
    expect(await outcome(room, used.secret)).toBe('session_ended');
  });

  test('looking at a session is no use of it', async () => {
    const room = openRoom();
    const { secret } = await begin(room, owner);
    pass(59 * minuteMs);
    expect((await room.verify(secret, { peer: '::1', unseen: true })).ok).toBe(true);
    pass(minuteMs);
    expect(await outcome(room, secret)).toBe('session_ended');
  });

  test('a use on one node keeps the session for all', async () => {
    const [one, two] = [openRoom(), openRoom()];
    const { secret } = await begin(one, owner);
    expect(await outcome(two, secret)).toBe('goes on');
    pass(50 * minuteMs);
    expect(await outcome(one, secret)).toBe('goes on');
    pass(30 * minuteMs);
    // The use is written on its own; each look is a second later, so that what is known is read again.
    const later = async () => {
      pass(1_000);
      return outcome(two, secret);
    };
    await expect.poll(later, { timeout: 20_000 }).toBe('goes on');
  });

  test('a session lasts no longer than what it began with', async () => {
    const room = openRoom();
    const { secret, session } = await begin(room, owner, now + 5 * minuteMs);
    expect(room.endsAt(session)).toBe(now + 5 * minuteMs);
    pass(5 * minuteMs);
    expect(await outcome(room, secret)).toBe('session_ended');
  });

  test('a session ends when its credential is replaced or gone, and is not listed then', async () => {
    const room = openRoom();
    const holder: SessionHolder = { role: 'owner', accountId: 'acc_2', keyId: 'key_2' };
    const { secret, session } = await begin(room, holder);
    expect(await room.list(session)).toHaveLength(1);
    credentials.set('key_2', succeed('two'));
    expect(await outcome(room, secret)).toBe('session_ended');
    expect(await room.list(session)).toEqual([]);
    credentials.set('key_2', fail({ kind: 'key_revoked' }));
    expect(await outcome(room, secret)).toBe('session_ended');
    expect((await room.open(holder, { agent: '' })).ok).toBe(false);
    // Not being able to look is no reason to sign somebody out.
    credentials.set('key_2', fail({ kind: 'overloaded', retryAfterMs: 1 }));
    expect(await outcome(room, secret)).toBe('overloaded');
    credentials.delete('key_2');
    expect(await outcome(room, secret)).toBe('goes on');
  });

  test('what ends on one node is over on another after a second, and at once where it ended', async () => {
    const [one, two] = [openRoom(), openRoom()];
    const { secret } = await begin(one, owner);
    expect([await outcome(one, secret), await outcome(two, secret)]).toEqual(['goes on', 'goes on']);
    await one.end(secret);
    expect(await outcome(one, secret)).toBe('session_ended');
    pass(1_000);
    expect(await outcome(two, secret)).toBe('session_ended');
  });

  test('who waits for the end of a session is told once, whatever ends it', async () => {
    const [one, two] = [openRoom(), openRoom()];
    const holder: SessionHolder = { role: 'owner', accountId: 'acc_w', keyId: 'key_w' };
    const told: string[] = [];
    const wait = async (name: string, until?: number) => {
      const begun = await begin(one, holder, until);
      one.watch(begun.session.id, () => told.push(name));
      return begun;
    };
    const here = await wait('ended here');
    const there = await wait('ended on another node');
    await wait('out of time', now + minuteMs);
    await wait('replaced');
    one.watch((await begin(one, holder)).session.id, () => told.push('not watched any more'))();
    const heard = (count: number) => expect.poll(() => told.length, { timeout: 20_000 }).toBe(count);
    await one.end(here.secret);
    await heard(1);
    one.start();
    await two.end(there.secret);
    await heard(2);
    pass(minuteMs);
    await heard(3);
    credentials.set('key_w', fail({ kind: 'overloaded', retryAfterMs: 1 }));
    await one.end(here.secret);
    await new Promise(setImmediate);
    credentials.set('key_w', succeed('two'));
    await heard(4);
    await one.close();
    expect(told).toEqual(['ended here', 'ended on another node', 'out of time', 'replaced']);
  });

  test('many sign-ins at one time leave 20 sessions', async () => {
    const room = openRoom();
    const holder: SessionHolder = { role: 'owner', accountId: 'acc_3', keyId: 'key_3' };
    const opened = await Promise.all(Array.from({ length: 30 }, () => begin(room, holder)));
    const outcomes = await Promise.all(opened.map(({ secret }) => outcome(room, secret)));
    expect(outcomes.filter((each) => each === 'goes on')).toHaveLength(20);
  });

  test('owners list and end the sessions of their account, operators their own', async () => {
    const room = openRoom();
    const account = 'acc_4';
    const a = await begin(room, { role: 'owner', accountId: account, keyId: 'key_4a' });
    const b = await begin(room, { role: 'owner', accountId: account, keyId: 'key_4b' });
    const ann = await begin(room, { role: 'operator', operator: 'ann4' });
    const bob = await begin(room, { role: 'operator', operator: 'bob4' });
    const ids = async (session: typeof a.session) => (await room.list(session)).map(({ id }) => id);
    expect(await ids(a.session)).toEqual([b.session.id, a.session.id]);
    expect(await ids(ann.session)).toEqual([ann.session.id]);
    expect(await room.endById(ann.session, bob.session.id)).toBe(false);
    expect(await room.endById(a.session, ann.session.id)).toBe(false);
    expect(await room.endById(ann.session, a.session.id)).toBe(false);
    expect(await room.endById(a.session, b.session.id)).toBe(true);
    expect(await ids(a.session)).toEqual([a.session.id]);
  });

  test('unknown secrets are looked up once, and counted', async () => {
    let failed = 0;
    let allowed: Result<void> = succeed(undefined);
    const room = openRoom({
      lookUps: {
        may: () => allowed,
        failed: () => {
          failed += 1;
        },
      },
    });
    const { secret } = await begin(room, owner);
    expect((await room.verify('x'.repeat(43), { peer: '192.0.2.1' })).ok).toBe(false);
    expect((await room.verify('x'.repeat(43), { peer: '192.0.2.1' })).ok).toBe(false);
    expect((await room.verify('not of its form', { peer: '192.0.2.1' })).ok).toBe(false);
    expect(failed).toBe(1);
    expect((await room.verify(secret, { peer: '192.0.2.1' })).ok).toBe(true);
    allowed = fail({ kind: 'rate_limited', limit: 'x', retryAfterMs: 1 });
    const refused = await room.verify('y'.repeat(43), { peer: '192.0.2.1' });
    expect(refused.ok ? '' : refused.failure.kind).toBe('rate_limited');
    // Whoever shares the address and is signed in already goes on.
    pass(2_000);
    expect((await room.verify(secret, { peer: '192.0.2.1' })).ok).toBe(true);
  });

  test('a code works for ten minutes and once, on any node, and is stored as a hash', async () => {
    const [one, two] = [openRoom(), openRoom()];
    const late = await one.codes.create({ accountId: 'acc_1' });
    const code = await one.codes.create({ operator: 'ann' });
    pass(10 * minuteMs - 1);
    const tries = await Promise.all([one, two, one, two].map((room) => room.codes.redeem(code)));
    expect(tries.filter(({ ok }) => ok)).toEqual([{ ok: true, value: { operator: 'ann' } }]);
    pass(1);
    expect((await one.codes.redeem(late)).ok).toBe(false);
    expect((await one.codes.redeem('x'.repeat(32))).ok).toBe(false);
  });

  test('what is over is deleted, and nothing else', async () => {
    const room = openRoom();
    await begin(room, owner);
    await room.codes.create({ accountId: 'acc_1' });
    pass(13 * hourMs);
    const { session, secret } = await begin(room, owner);
    const code = await room.codes.create({ accountId: 'acc_1' });
    await room.sweep();
    const db = database().database.for<{ console_session: { id: string }; console_code: { digest: Buffer } }>();
    const left = await db.selectFrom('console_session').select('id').execute();
    expect(left.map(({ id }) => String(id))).toEqual([session.id]);
    expect(await db.selectFrom('console_code').select('digest').execute()).toHaveLength(1);
    expect(await outcome(room, secret)).toBe('goes on');
    expect((await room.codes.redeem(code)).ok).toBe(true);
  });
});
