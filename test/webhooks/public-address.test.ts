import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createPoster } from '../../src/webhooks/post.ts';
import { isPublicAddress, publicLookup } from '../../src/webhooks/public-address.ts';

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

test('a name that resolves to a private address is refused when it is resolved', async () => {
  for (const all of [true, false])
    await expect(
      new Promise((resolve, reject) =>
        publicLookup('localhost', { all }, (error, address) => (error ? reject(error) : resolve(address))),
      ),
    ).rejects.toThrow('not on the public internet');
});

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
