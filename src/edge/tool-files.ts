import type { MessageInitShape } from '@bufbuild/protobuf';
import type { MessageSchema, PartSchema } from '../gen/intelligence/chat/v1/chat_pb.ts';
import type { Placed } from './places.ts';

type ChatMessage = MessageInitShape<typeof MessageSchema>;
type Part = MessageInitShape<typeof PartSchema>;

/**
 * The conversation with tool results as text only, since that is all every provider accepts there. Their images and documents
 * follow in a user message after the last of the consecutive results.
 */
export function withFilesBehindResults(messages: readonly Placed<ChatMessage>[]): Placed<ChatMessage>[] {
  const all: Placed<ChatMessage>[] = [];
  let files: Placed<Part>[] = [];
  const append = () => {
    const [first] = files;
    if (!first) return;
    const message = { role: 'user', parts: files.map((file) => file.message) };
    all.push({ message, origin: { at: first.origin.at, parts: files.map(({ origin }) => origin.at) } });
    files = [];
  };
  for (const placed of messages) {
    const { message, origin } = placed;
    if (message.role !== 'tool') append();
    const parts = (message.role === 'tool' ? (message.parts ?? []) : []).map((part, index) => ({
      message: part,
      origin: { at: origin.parts?.[index] ?? origin.at },
    }));
    const found = parts.filter(({ message: part }) => part.part?.case !== 'text');
    if (found.length === 0) {
      all.push(placed);
      continue;
    }
    files.push(...found);
    const note = { message: { part: { case: 'text' as const, value: followed } }, origin: { at: origin.at } };
    const texts = [...parts.filter((part) => !found.includes(part)), note];
    const { toolCallId = '', cachePoint } = message;
    all.push({
      message: {
        ...{ role: 'tool', toolCallId, parts: texts.map((text) => text.message) },
        ...(cachePoint && { cachePoint }),
      },
      origin: { ...origin, parts: texts.map((text) => text.origin.at) },
    });
  }
  append();
  return all;
}

/** Tells the model what the file belongs to. */
const followed = '\n(The file of this result follows.)';
