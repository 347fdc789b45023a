import type { DescField } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { ChatRequestSchema, StreamChatRequestSchema } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';

// Lint wants a request of its own for each method; these two must stay the same.
test('a streamed chat takes exactly the request that a chat takes', () => {
  const shape = ({ name, number, proto }: DescField) => ({
    name,
    number,
    type: proto.type,
    of: proto.typeName,
    options: proto.options,
  });
  const entry = (field: DescField) => ({
    ...shape(field),
    of: shape(field).of.replace('StreamChatRequest', 'ChatRequest'),
  });
  expect(StreamChatRequestSchema.fields.map(entry)).toEqual(ChatRequestSchema.fields.map(entry));
});
