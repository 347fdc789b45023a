import { type DescField, type DescMessage, type Message, toBinary } from '@bufbuild/protobuf';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { ownTurn } from '../../base/turn.ts';

/** How many bytes are encoded per event loop turn: as numbers they take 5 to 10 ms. */
const bytesInTurn = 524_288;

type MessageList = DescField & { fieldKind: 'list'; listKind: 'message' };
type Local = Message & Record<string, unknown>;

/** Its list of messages that has more than one of them, which may be long: encode it with `encodeInTurns`. */
export function listOf(desc: DescMessage, message: Message): MessageList | undefined {
  return desc.fields.find(
    (field): field is MessageList =>
      field.fieldKind === 'list' &&
      field.listKind === 'message' &&
      !field.delimitedEncoding &&
      ((message as Local)[field.localName] as unknown[]).length > 1,
  );
}

/** The message's bytes, with that list at their end. Leaves the event loop to others between the elements of a long one. */
export async function encodeInTurns(desc: DescMessage, message: Message, list: MessageList): Promise<Uint8Array[]> {
  const rest = Object.assign(Object.create(Object.getPrototypeOf(message)), message, { [list.localName]: [] });
  const parts = [toBinary(desc, rest)];
  let writer = new BinaryWriter();
  let bytes = 0;
  for (const element of (message as Local)[list.localName] as Message[]) {
    if (bytes > bytesInTurn) {
      parts.push(writer.finish());
      writer = new BinaryWriter();
      bytes = 0;
      await ownTurn();
    }
    const encoded = toBinary(list.message, element);
    writer.tag(list.number, WireType.LengthDelimited).bytes(encoded);
    bytes += encoded.length;
  }
  parts.push(writer.finish());
  return parts;
}
