import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createPoster } from '../../src/webhooks/post.ts';

test('a name that does not resolve, one that is private and a refused connection are told in the same words', async () => {
  const gone = createServer();
  await new Promise<void>((resolve) => gone.listen(0, '127.0.0.1', resolve));
  const { port } = gone.address() as { port: number };
  await new Promise((resolve) => gone.close(resolve));
  const guarded = createPoster({ allowPrivateNetworks: false });
  const open = createPoster({ allowPrivateNetworks: true });
  try {
    const outcomes = [
      await guarded.post('https://does-not-exist.invalid/hook', {}, '{}'),
      await guarded.post('https://localhost/hook', {}, '{}'),
      await guarded.post('https://10.0.0.1/hook', {}, '{}'),
      await open.post(`http://127.0.0.1:${port}/hook`, {}, '{}'),
    ];
    expect(outcomes).toEqual(outcomes.map(() => ({ problem: 'could not be reached' })));
  } finally {
    await guarded.close();
    await open.close();
  }
});

test.each([
  ['early hints', '', 'HTTP/1.1 103 \r\n\r\n', {}],
  ['blank lines', '', '\r\n', {}],
  ['pieces of a header', 'HTTP/1.1 200 OK\r\nx: ', 'y', {}],
  ['a chunk’s extension', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1;', 'y', { status: 200 }],
])('a receiver that sends %s without end is left after some kilobytes', async (_, head, unit, outcome) => {
  let taken = 0;
  const receiver = createServer((socket) => {
    socket.on('error', () => undefined);
    const flood = Buffer.from(unit.repeat(Math.ceil(65_536 / unit.length)));
    const more = () => {
      while (
        !socket.destroyed &&
        socket.write(flood, () => {
          taken += flood.length;
        })
      );
    };
    socket.once('data', () => {
      socket.write(head);
      socket.on('drain', more);
      more();
    });
  }).listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  const poster = createPoster({ allowPrivateNetworks: true });
  try {
    const { port } = receiver.address() as AddressInfo;
    const expected = Object.keys(outcome).length > 0 ? outcome : { problem: 'could not be reached' };
    expect(await poster.post(`http://127.0.0.1:${port}/hook`, {}, '{}')).toEqual(expected);
    // What the system keeps of it on the way is more than what is read.
    expect(taken).toBeLessThan(64_000_000);
  } finally {
    await poster.close();
    receiver.close();
  }
});
