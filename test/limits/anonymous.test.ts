import { pino } from 'pino';
import { expect, test } from 'vitest';
import {
  type AnonymousLimits,
  type AnonymousRefusal,
  createLimits,
  type OpenConnection,
} from '../../src/limits/index.ts';
import { handClock, keyLevels } from './callers.ts';

function budget(anonymous: Partial<AnonymousLimits>, ownersMax?: number) {
  const clock = handClock();
  const lines: string[] = [];
  const refused: AnonymousRefusal[] = [];
  const limits = createLimits({
    ...{ clock, anonymous, levels: keyLevels({}) },
    log: pino({}, { write: (line: string) => void lines.push(line) }),
    onAnonymousRefused: (what) => refused.push(what),
    ...(ownersMax !== undefined && { ownersMax }),
  });
  const closed: number[] = [];
  let opened = 0;
  const connect = (peer: string): OpenConnection | undefined => {
    const index = opened++;
    const connection = limits.anonymous.connect(peer, () => closed.push(index));
    return connection;
  };
  const enter = (peer: string, connection?: OpenConnection) => limits.anonymous.enter(peer, connection);
  return { ...limits.anonymous, connect, enter, clock, closed, refused, lines };
}

test('the oldest connection without a credential gives way; one with a credential never does', () => {
  const { connect, closed, clock } = budget({ connections: 4 });
  const first = connect('192.0.2.1');
  first?.identified('acc_1');
  for (let index = 0; index < 8; index += 1) connect('192.0.2.1');
  // They are young: each may still show a credential.
  expect(closed).toEqual([]);
  clock.at += 3_000;
  for (let index = 0; index < 3; index += 1) connect('192.0.2.1');
  expect(closed).toEqual([1, 2, 3]);
  expect(first?.anonymous).toBe(false);
  // Another address is not concerned.
  connect('192.0.2.2');
  expect(closed).toHaveLength(3);
});

test('all addresses together have a limit, and a full network makes room among its own first', () => {
  const { connect, closed, clock } = budget({ connections: 2, networkFactor: 2, totalConnections: 6 });
  for (const peer of ['192.0.2.1', '192.0.2.2', '192.0.2.2', '192.0.2.3']) connect(peer);
  clock.at += 3_000;
  connect('192.0.2.3');
  // Of its own address, though others in the network are older.
  expect(closed).toEqual([3]);
  for (const peer of ['2001:db8::1', '2001:db8:0:1::1', '2001:db8:0:2::1']) connect(peer);
  expect(closed).toEqual([3, 0]);
});

test('new connections are as many a minute as the limit says, and those with a credential count for nothing', () => {
  const { connect, clock } = budget({ connections: 5, connectionsPerMinute: 60 });
  const open = () => connect('192.0.2.1');
  expect(Array.from({ length: 25 }, open).filter(Boolean)).toHaveLength(20);
  clock.at += 1_000;
  for (let index = 0; index < 50; index += 1) {
    const connection = open();
    expect(connection).toBeDefined();
    connection?.identified('acc_1');
    connection?.closed();
  }
  expect([open(), open()].filter(Boolean)).toHaveLength(1);
});

test('a connection that is cut off for what it sent keeps its address from opening many more, for little more than a minute', () => {
  const { connect, clock, refused } = budget({ connections: 256, connectionsPerMinute: 600 });
  const other = connect('192.0.2.1');
  other?.identified('acc_1');
  for (let index = 0; index < 11; index += 1) connect('198.51.100.1')?.wasted();
  expect(connect('198.51.100.1')).toBeUndefined();
  expect(refused).toContain('wasted connections');
  expect(connect('192.0.2.1')).toBeDefined();
  // They count whether or not a credential was shown, and a thousand of them for little more than a few.
  for (let index = 0; index < 1_000; index += 1) other?.wasted();
  expect(connect('192.0.2.1')).toBeUndefined();
  clock.at += 75_000;
  expect(connect('192.0.2.1')).toBeDefined();
});

test('an owner has only so many connections that do not count', () => {
  const { connect, refused } = budget({ ownerConnections: 2 });
  const three = [1, 2, 3].map(() => connect('192.0.2.1'));
  for (const connection of three) connection?.identified('acc_1');
  expect(three.map((connection) => connection?.anonymous)).toEqual([false, false, true]);
  three[0]?.closed();
  three[2]?.identified('acc_1');
  expect(three[2]?.anonymous).toBe(false);
  expect(refused).toEqual(['known connections']);
});

test('a /24 and a /56 have their factor times the limit of an address, a /48 that of a /56, a /64 counts as one address', () => {
  const { enter } = budget({ requestsPerMinute: 30, networkFactor: 2 });
  const passed = (peer: (index: number) => string) =>
    Array.from({ length: 100 }, (_, index) => enter(peer(index))).filter(({ ok }) => ok).length;
  expect(passed(() => '192.0.2.1')).toBe(5);
  expect(passed((index) => `198.51.100.${index}`)).toBe(10);
  expect(passed((index) => `2001:db8::${index + 1}`)).toBe(5);
  expect(passed((index) => `2001:db8:1:ab${String(index).padStart(2, '0')}::1`)).toBe(10);
  expect(enter('2001:db8:1:abff::1')).toMatchObject({ failure: { limit: 'requests per minute of the network' } });
  expect(enter('2001:db8:1:aa00::1').ok).toBe(true);
  expect(passed((index) => `2001:db8:2:${index}00::1`)).toBe(20);
  expect(enter('2001:db8:2:fe00::1')).toMatchObject({ failure: { limit: 'requests per minute of the network' } });
  expect(enter('2001:db8:3::1').ok).toBe(true);
  expect(enter('198.51.100.200')).toMatchObject({ failure: { limit: 'requests per minute of the network' } });
  expect(enter('::ffff:192.0.2.1')).toMatchObject({ failure: { limit: 'requests per minute of the address' } });
});

test('requests at one time have a limit for an address and for a connection, and give their place back once', () => {
  const { enter, connect } = budget({ streams: 3, streamsPerConnection: 2 });
  const connection = connect('192.0.2.1');
  const entered = [enter('192.0.2.1', connection), enter('192.0.2.1', connection)];
  expect(enter('192.0.2.1', connection)).toMatchObject({
    failure: { kind: 'rate_limited', limit: 'concurrent requests of one connection of the address' },
  });
  expect(enter('192.0.2.1').ok).toBe(true);
  expect(enter('192.0.2.1')).toMatchObject({ failure: { limit: 'concurrent requests of the address' } });
  const [first] = entered;
  if (first?.ok) for (let time = 0; time < 3; time += 1) first.value();
  expect([enter('192.0.2.1', connection).ok, enter('192.0.2.1', connection).ok]).toEqual([true, false]);
});

test('bytes count until a credential is shown', () => {
  const { connect, clock } = budget({ mebibytesPerMinute: 1 });
  const [stranger, other] = [connect('192.0.2.1'), connect('192.0.2.1')];
  expect(stranger?.moved(900_000)).toBe(true);
  expect(other?.moved(900_000)).toBe(false);
  other?.identified('acc_1');
  expect(other?.moved(900_000_000)).toBe(true);
  clock.at += 120_000;
  expect(stranger?.moved(900_000)).toBe(true);
  // What moved at once counts whole, however much it was.
  clock.at += 120_000;
  expect(stranger?.moved(5_000_000)).toBe(false);
});

test('what is refused is counted each time, and logged once for a network and minute', () => {
  const { enter, refused, lines, clock } = budget({ requestsPerMinute: 1 });
  for (let index = 0; index < 50; index += 1) enter('192.0.2.1');
  expect(refused.filter((what) => what === 'requests')).toHaveLength(45);
  expect(lines.map((line) => JSON.parse(line).network)).toEqual(['192.0.2.0/24']);
  for (let index = 0; index < 500; index += 1) for (let time = 0; time < 6; time += 1) enter(`2001:db8:${index}::1`);
  expect(lines.length).toBe(100);
  clock.at += 60_000;
  for (let index = 0; index < 50; index += 1) enter('192.0.2.1');
  expect(lines.length).toBe(101);
});

test('memory is bounded: the crowd beyond it shares one limit, and whoever is idle makes room', () => {
  const { enter, clock } = budget({ requestsPerMinute: 60, networkFactor: 256 }, 100);
  const passed = () => {
    let count = 0;
    for (let index = 0; index < 2_000; index += 1) if (enter(`2001:db8:1:${index.toString(16)}::1`).ok) count += 1;
    return count;
  };
  expect(passed()).toBe(110);
  clock.at += 3_600_000;
  expect(passed()).toBe(110);
});
