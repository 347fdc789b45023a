// Prints a FileDescriptorProto as .proto source. Supports only what buf/validate/validate.proto needs: it is shipped only as a descriptor, while
// buf wants source. Option values are left out; the runtime reads them from the descriptor.
import { isFieldSet } from '@bufbuild/protobuf';
import {
  FieldDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';

// An unset proto2 field reads as its default, 0, which is also the first oneof's index: ask whether it is set.
const inOneof = (field) => isFieldSet(field, FieldDescriptorProtoSchema.field.oneofIndex) && !field.proto3Optional;

/** @param {import('@bufbuild/protobuf/wkt').FileDescriptorProto} file */
export function printProto(file) {
  // Descriptors leave the syntax empty for proto2.
  const proto2 = (file.syntax || 'proto2') === 'proto2';

  const fieldType = (field) => field.typeName || Type[field.type].toLowerCase();
  const label = (field) => {
    if (field.label === Label.REPEATED) return 'repeated ';
    if (field.label === Label.REQUIRED) return 'required ';
    return proto2 || field.proto3Optional ? 'optional ' : '';
  };
  const fieldLine = (field) =>
    `${inOneof(field) ? '' : label(field)}${fieldType(field)} ${field.name} = ${field.number};`;
  const ranges = (list, lastIsIncluded) =>
    list.map(({ start, end }) => {
      const last = lastIsIncluded ? end : end - 1;
      return last >= 536_870_911 ? `${start} to max` : start === last ? `${start}` : `${start} to ${last}`;
    });
  const extendBlocks = (extensions) => extensions.map((field) => `extend ${field.extendee} { ${fieldLine(field)} }`);
  const printEnum = (desc) => [`enum ${desc.name} {`, ...desc.value.map((v) => `${v.name} = ${v.number};`), '}'];

  const printMessage = (desc) => {
    const entries = new Map(desc.nestedType.filter((n) => n.options?.mapEntry).map((n) => [n.name, n]));
    const line = (field) => {
      const entry = field.label === Label.REPEATED && entries.get(field.typeName.split('.').at(-1));
      if (!entry) return fieldLine(field);
      return `map<${fieldType(entry.field[0])}, ${fieldType(entry.field[1])}> ${field.name} = ${field.number};`;
    };
    return [
      `message ${desc.name} {`,
      ...(desc.reservedRange.length ? [`reserved ${ranges(desc.reservedRange, false).join(', ')};`] : []),
      ...(desc.reservedName.length ? [`reserved ${desc.reservedName.map((n) => JSON.stringify(n)).join(', ')};`] : []),
      ...desc.enumType.flatMap(printEnum),
      ...desc.nestedType.filter((n) => !n.options?.mapEntry).flatMap(printMessage),
      ...desc.field.filter((f) => !inOneof(f)).map(line),
      ...desc.oneofDecl.flatMap((oneof, index) => {
        const members = desc.field.filter((f) => inOneof(f) && f.oneofIndex === index);
        return members.length ? [`oneof ${oneof.name} {`, ...members.map(line), '}'] : [];
      }),
      ...(desc.extensionRange.length ? [`extensions ${ranges(desc.extensionRange, false).join(', ')};`] : []),
      ...extendBlocks(desc.extension),
      '}',
    ];
  };

  return [
    `syntax = "${file.syntax || 'proto2'}";`,
    `package ${file.package};`,
    ...file.dependency.map((path) => `import "${path}";`),
    ...file.enumType.flatMap(printEnum),
    ...file.messageType.flatMap(printMessage),
    ...extendBlocks(file.extension),
    '',
  ].join('\n');
}
