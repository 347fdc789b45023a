import { type DescField, type DescMessage, ScalarType } from '@bufbuild/protobuf';
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { depthMax } from './binary-bounds.ts';
import { brief } from './brief.ts';

/**
 * The place of a `google.protobuf.Value` without a kind, as written in errors: `tools[0].parameters["a"]`.
 *
 * struct.proto calls such a value an error, and JSON cannot express it. Within a `Struct` the parser turns it into null, so it
 * must be found in the bytes. Whether they are a valid message at all is left to the parser.
 */
export function findKindlessValue(bytes: Uint8Array, desc: DescMessage): string | undefined {
  if (!holdsValues(desc)) return undefined;
  try {
    return inMessage(new BinaryReader(bytes), bytes.length, desc, 0);
  } catch {
    return undefined;
  }
}

const known = new WeakMap<DescMessage, boolean>();

/** Whether a message of the type can contain a `Value`. */
export function holdsValues(desc: DescMessage): boolean {
  let holds = known.get(desc);
  if (holds === undefined) {
    holds = reaches(desc, new Set());
    known.set(desc, holds);
  }
  return holds;
}

function reaches(desc: DescMessage, seen: Set<DescMessage>): boolean {
  if (desc.typeName === valueName) return true;
  if (seen.has(desc)) return false;
  seen.add(desc);
  return desc.fields.some(({ message }) => message !== undefined && reaches(message, seen));
}

const valueName = 'google.protobuf.Value';

/** The place within a message that ends at `end`; an empty string is the message itself. */
function inMessage(reader: BinaryReader, end: number, desc: DescMessage, depth: number): string | undefined {
  if (depth > depthMax) return undefined;
  const isValue = desc.typeName === valueName;
  let hasKind = false;
  let counts: Map<number, number> | undefined;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    const field = desc.fields.find((each) => each.number === number);
    if (isValue && field) hasKind = true;
    if (wireType !== WireType.LengthDelimited) {
      reader.skip(wireType, number, depthMax);
      continue;
    }
    const length = reader.uint32();
    const fieldEnd = reader.pos + length;
    if (fieldEnd > end) return undefined;
    if (field?.message && holdsValues(field.message)) {
      const found =
        field.fieldKind === 'map'
          ? inEntry(reader, fieldEnd, field, depth + 1)
          : inMessage(reader, fieldEnd, field.message, depth + 1);
      if (field.fieldKind === 'list') {
        counts ??= new Map();
        counts.set(number, (counts.get(number) ?? -1) + 1);
      }
      if (found !== undefined) return placeOf(desc, field, counts?.get(number), found);
    }
    reader.pos = fieldEnd;
  }
  return isValue && !hasKind ? '' : undefined;
}

const keyMax = 50;

/** A map entry has its key as field 1 and its value as field 2; a missing value means the empty message. */
function inEntry(
  reader: BinaryReader,
  end: number,
  field: DescField & { fieldKind: 'map' },
  depth: number,
): string | undefined {
  if (!field.message) return undefined;
  let key = '';
  let hasValue = false;
  let found: string | undefined;
  while (reader.pos < end) {
    const [number, wireType] = reader.tag();
    // Callers may send keys of any length, but response headers cannot hold them.
    if (number === 1 && field.mapKey === ScalarType.STRING) key = JSON.stringify(brief(reader.string(), keyMax));
    else if (number === 2 && wireType === WireType.LengthDelimited) {
      hasValue = true;
      const valueEnd = reader.uint32() + reader.pos;
      if (valueEnd > end) return undefined;
      found = inMessage(reader, valueEnd, field.message, depth);
      reader.pos = valueEnd;
    } else reader.skip(wireType, number, depthMax);
  }
  if (!hasValue && field.message.typeName === valueName) found = '';
  return found === undefined ? undefined : `[${key}]${joined(found)}`;
}

/** As JSON names it: the fields of `Struct`, `ListValue` and `Value` do not appear there. */
function placeOf(desc: DescMessage, field: DescField, index: number | undefined, within: string): string {
  const name = ownForms.has(desc.typeName) ? '' : field.jsonName;
  const element = index === undefined ? '' : `[${index}]`;
  return `${name}${element}${joined(within)}`;
}

const ownForms = new Set([valueName, 'google.protobuf.Struct', 'google.protobuf.ListValue']);

function joined(within: string): string {
  return within === '' || within.startsWith('[') ? within : `.${within}`;
}
