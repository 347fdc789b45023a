import { fromBinary } from '@bufbuild/protobuf';
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  type FileDescriptorProto,
  FileDescriptorSetSchema,
} from '@bufbuild/protobuf/wkt';

/** Comments of protobuf definitions by full name: `package.Message`, `package.Message.field`, `package.Service.Method`. */
export type ProtoComments = ReadonlyMap<string, string>;

/** Reads the leading comments from an encoded `google.protobuf.FileDescriptorSet` that has source information. */
export function readProtoComments(descriptorSet: Uint8Array): ProtoComments {
  const comments = new Map<string, string>();
  for (const file of fromBinary(FileDescriptorSetSchema, descriptorSet).file) readFile(file, comments);
  return comments;
}

// Field numbers in descriptor.proto, from which a location's path is made.
const fileMessage = 4;
const fileEnum = 5;
const fileService = 6;
const messageField = 2;
const messageNested = 3;
const messageEnum = 4;
const enumValue = 2;
const serviceMethod = 2;

function readFile(file: FileDescriptorProto, comments: Map<string, string>): void {
  const byPath = new Map<string, string>();
  for (const { path, leadingComments } of file.sourceCodeInfo?.location ?? [])
    if (leadingComments) byPath.set(path.join('.'), tidy(leadingComments));

  const note = (name: string, ...path: number[]) => {
    const comment = byPath.get(path.join('.'));
    if (comment) comments.set(name, comment);
  };
  const readEnum = (desc: EnumDescriptorProto, scope: string, path: number[]) => {
    note(`${scope}.${desc.name}`, ...path);
    for (const [index, value] of desc.value.entries())
      note(`${scope}.${desc.name}.${value.name}`, ...path, enumValue, index);
  };
  const readMessage = (desc: DescriptorProto, scope: string, path: number[]) => {
    const name = `${scope}.${desc.name}`;
    note(name, ...path);
    for (const [index, field] of desc.field.entries()) note(`${name}.${field.name}`, ...path, messageField, index);
    for (const [index, each] of desc.nestedType.entries()) readMessage(each, name, [...path, messageNested, index]);
    for (const [index, each] of desc.enumType.entries()) readEnum(each, name, [...path, messageEnum, index]);
  };

  for (const [index, each] of file.messageType.entries()) readMessage(each, file.package, [fileMessage, index]);
  for (const [index, each] of file.enumType.entries()) readEnum(each, file.package, [fileEnum, index]);
  for (const [index, service] of file.service.entries()) {
    const name = `${file.package}.${service.name}`;
    note(name, fileService, index);
    for (const [at, method] of service.method.entries())
      note(`${name}.${method.name}`, fileService, index, serviceMethod, at);
  }
}

function tidy(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^ /, '').trimEnd())
    .join('\n')
    .trim();
}
