import { createSocket, type Socket } from 'node:dgram';
import { lookup as resolveBySystem } from 'node:dns/promises';
import { createServer } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createPoster } from '../../src/webhooks/post.ts';
import { createPublicLookup, isPublicAddress } from '../../src/webhooks/public-address.ts';

test.each([
  '0.0.0.0',
  '10.0.0.1',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.169.254',
  '172.31.255.255',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:8.8.8.8',
  '64:ff9b::a00:1',
  '2001:db8::1',
  '2002:a00:1::',
  'fc00::1',
  'fe80::1',
  'ff02::1',
  'example.com',
])('%s is not on the public internet', (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(['8.8.8.8', '172.32.0.1', '100.128.0.1', '2606:4700::1111'])('%s is on the public internet', (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

describe('names', () => {
  /** What a name server says of each name; `silent.example` and what is below it get no answer at all. */
  const known: Record<string, { v4?: string[]; v6?: string[] }> = {
    'public.example': { v4: ['8.8.8.8'], v6: ['2606:4700::1111'] },
    'old.example': { v4: ['8.8.4.4'] },
    'private.example': { v4: ['10.0.0.1'] },
    'half.example': { v4: ['8.8.8.8'], v6: ['::1'] },
    'two.example': { v4: ['8.8.8.8', '127.0.0.1'] },
  };
  let server: Socket;
  let lookup: LookupFunction;
  let asked = 0;
  beforeAll(async () => {
    server = createSocket('udp4').on('message', (query, { port, address }) => {
      asked += 1;
      const answer = answerTo(query, known);
      if (answer) server.send(answer, port, address);
    });
    await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
    lookup = createPublicLookup([`127.0.0.1:${server.address().port}`]);
  });
  afterAll(() => server.close());

  const find = (name: string, all = true) =>
    new Promise<unknown>((resolve, reject) =>
      lookup(name, { all }, (error, address) => (error ? reject(error) : resolve(address))),
    );

  test('resolve to all of their addresses, or to the first one', async () => {
    expect(await find('public.example')).toEqual([
      { address: '8.8.8.8', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
    expect(await find('old.example')).toEqual([{ address: '8.8.4.4', family: 4 }]);
    expect(await find('public.example', false)).toBe('8.8.8.8');
    await expect(find('nothing.example')).rejects.toMatchObject({ code: 'ENOTFOUND' });
  });

  test.each(['private.example', 'half.example', 'two.example'])(
    '%s is refused for its private address',
    async (name) => {
      for (const all of [true, false]) await expect(find(name, all)).rejects.toThrow('not on the public internet');
    },
  );

  test('that no server answers for do not keep other connections of the service waiting', async () => {
    const over: string[] = [];
    const before = asked;
    const silent = Array.from({ length: 8 }, (_, at) =>
      find(`${at}.silent.example`).catch(() => over.push('a silent name')),
    );
    await expect.poll(() => asked - before).toBeGreaterThanOrEqual(16);
    // As connections to models and to the database resolve theirs.
    await resolveBySystem('localhost');
    over.push('localhost');
    await Promise.all(silent);
    expect(over).toEqual(['localhost', ...silent.map(() => 'a silent name')]);
  });
});

/** A DNS message (RFC 1035) with the addresses of the name it asks for; undefined: silence. */
function answerTo(query: Buffer, known: Record<string, { v4?: string[]; v6?: string[] }>): Buffer | undefined {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const name = labels.join('.');
  if (name.endsWith('silent.example')) return undefined;
  const isV4 = query.readUInt16BE(at + 1) === 1;
  const addresses = (isV4 ? known[name]?.v4 : known[name]?.v6) ?? [];
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  // An answer; with code 3, there is no such name.
  head.writeUInt16BE(known[name] ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(addresses.length, 6);
  const records = addresses.map((address) => {
    const bytes = isV4 ? Buffer.from(address.split('.').map(Number)) : bytesOfV6(address);
    // The name as in the question, type, class, a time to live of 0, and the length.
    const fields = Buffer.from([0xc0, 12, 0, isV4 ? 1 : 28, 0, 1, 0, 0, 0, 0, 0, bytes.length]);
    return Buffer.concat([fields, bytes]);
  });
  return Buffer.concat([head, query.subarray(12, at + 5), ...records]);
}

function bytesOfV6(address: string): Buffer {
  const [front = '', back = ''] = address.split('::');
  const groups = (text: string) =>
    text
      .split(':')
      .filter(Boolean)
      .map((group) => Number.parseInt(group, 16));
  const [first, last] = [groups(front), groups(back)];
  const all = [...first, ...Array.from({ length: 8 - first.length - last.length }, () => 0), ...last];
  return Buffer.from(all.flatMap((group) => [group >> 8, group & 0xff]));
}

test('nothing is posted to a private address, by number or by name', async () => {
  let hits = 0;
  const server = createServer((_, response) => {
    hits += 1;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const poster = createPoster({ allowPrivateNetworks: false });
  for (const host of ['127.0.0.1', 'localhost'])
    expect(await poster.post(`http://${host}:${port}/`, {}, '{}')).toEqual({
      problem: 'could not be reached',
    });
  expect(hits).toBe(0);
  await poster.close();
  server.close();
});
