import { create, fromBinary, type MessageInitShape } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeInTurns, listOf } from '../../../src/edge/grpc/long-message.ts';
import { EmbedResponseSchema } from '../../../src/gen/intelligence/embedding/v1/embedding_service_pb.ts';
import { countTurns } from '../../support/turns.ts';

type Reply = MessageInitShape<typeof EmbedResponseSchema>;

async function encoded(reply: Reply): Promise<{ bytes: Buffer; parts: number }> {
  const message = create(EmbedResponseSchema, reply);
  const list = listOf(EmbedResponseSchema, message);
  if (!list) throw new Error('It has no list.');
  const parts = await encodeInTurns(EmbedResponseSchema, message, list);
  return { bytes: Buffer.concat(parts), parts: parts.length };
}

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);

test(`a message encoded in turns is read as the same message (seed ${seed})`, async () => {
  const vector = fc.record({ index: fc.nat(), values: fc.array(fc.float({ noNaN: true })), base64: fc.string() });
  const reply = fc.record({
    id: fc.string(),
    dimensions: fc.nat(),
    embeddings: fc.array(vector, { minLength: 2 }),
    usage: fc.record({ inputTokens: fc.nat(), estimated: fc.boolean(), costUsd: fc.string() }),
    balanceUsd: fc.string(),
  });
  await fc.assert(
    fc.asyncProperty(reply, async (given) => {
      const { bytes } = await encoded(given);
      expect(fromBinary(EmbedResponseSchema, bytes)).toEqual(create(EmbedResponseSchema, given));
    }),
    { seed },
  );
});

test('a long list leaves turns of the event loop to others; a list of one is no long list', async () => {
  const values = Array.from({ length: 65_536 }, (_, at) => at);
  const embeddings = Array.from({ length: 16 }, (_, index) => ({ index, values }));
  const { result, turns } = await countTurns(() => encoded({ embeddings }));
  const { bytes, parts } = result;
  expect(parts).toBeGreaterThan(4);
  expect(turns).toBeGreaterThan(parts);
  expect(fromBinary(EmbedResponseSchema, bytes).embeddings[15]?.values).toEqual(values);
  expect(listOf(EmbedResponseSchema, create(EmbedResponseSchema, { embeddings: [{ values }] }))).toBeUndefined();
});
