import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';

/** Fields and elements of one message, those within it included. */
export const fieldsMax = 65_536;
/** As deep as its parser goes. */
export const depthMax = 100;

/**
 * Whether a binary message has more fields than its bytes should make objects of: two bytes make one, and 20 MiB ten
 * million. Whether it is a message at all, its parser says.
 */
export function hasTooManyFields(bytes: Uint8Array, desc: DescMessage, max = fieldsMax): boolean {
  // Each field takes a byte at the least.
  if (bytes.length <= max) return false;
  const count = { left: max };
  try {
    walk(new BinaryReader(bytes), bytes.length, desc, count, 0);
  } catch {
    // Malformed: the parser says how.
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

/** A map's entry on the wire is a message whose second field is the value. */
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

/** The least that an element of a packed list takes. */
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
