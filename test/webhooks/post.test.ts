import { createServer } from 'node:net';
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
