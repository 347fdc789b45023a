import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** The maximum number of fields and elements in one message, nested ones included. */
export const fieldsMax = 65_536;
/** The parser's own depth limit. */
export const depthMax = 100;

/**
 * Whether a binary message has too many fields to be parsed into objects: two bytes make one, and 20 MiB ten million. Whether it
 * is valid at all is left to the parser.
 */
export function hasTooManyFields(bytes: Uint8Array, desc: DescMessage, max = fieldsMax): boolean {
  // Each field takes at least one byte.
  if (bytes.length <= max) return false;
  const count = { left: max };
  try {
    walk(new BinaryReader(bytes), bytes.length, desc, count, 0);
  } catch {
    // Malformed: the parser reports how.
  }
  return count.left < 0;
}

function walk(
  reader: BinaryReader,
  end: number,
  desc: DescMessage | undefined,
  count: { left: number },
  depth: number,
): void {
  if (depth > depthMax) return;
  while (reader.pos < end && count.left >= 0) {
    const [number, wireType] = reader.tag();
    count.left -= 1;
    const field = desc?.fields.find((each) => each.number === number);
    if (wireType !== WireType.LengthDelimited) {
      reader.skip(wireType, number, depthMax);
      continue;
    }
    const length = reader.uint32();
    const fieldEnd = reader.pos + length;
    if (fieldEnd > end) return;
    const within = messageOf(field);
    if (within) walk(reader, fieldEnd, within, count, depth + 1);
    else if (isPacked(field)) count.left -= Math.floor(length / bytesOf(field));
    reader.pos = fieldEnd;
  }
}

function messageOf(field: DescField | undefined): DescMessage | undefined {
  if (field?.fieldKind === 'map') return field.mapKind === 'message' ? entryOf(field.message) : undefined;
  return field?.message;
}

/** On the wire, a map entry is a message whose second field is the value. */
const entries = new WeakMap<DescMessage, DescMessage>();
function entryOf(value: DescMessage): DescMessage {
  let entry = entries.get(value);
  if (!entry) {
    entry = { fields: [{ number: 2, fieldKind: 'message', message: value }] } as unknown as DescMessage;
    entries.set(value, entry);
  }
  return entry;
}

function isPacked(field: DescField | undefined): field is DescField & { fieldKind: 'list' } {
  if (field?.fieldKind !== 'list' || field.listKind === 'message') return false;
  return field.listKind === 'enum' || (field.scalar !== ScalarType.STRING && field.scalar !== ScalarType.BYTES);
}

/** The minimum size of an element of a packed list. */
function bytesOf(field: DescField & { fieldKind: 'list' }): number {
  switch (field.scalar) {
    case ScalarType.DOUBLE:
    case ScalarType.FIXED64:
    case ScalarType.SFIXED64:
      return 8;
    case ScalarType.FLOAT:
    case ScalarType.FIXED32:
    case ScalarType.SFIXED32:
      return 4;
    default:
      return 1;
  }
}
