import {
  create,
  createRegistry,
  type DescField,
  type DescMessage,
  equals,
  type Message,
  ScalarType,
  toJsonString,
} from '@bufbuild/protobuf';
import { reflect } from '@bufbuild/protobuf/reflect';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { EchoService, KindsSchema, TreeSchema } from '../../../test/gen/intelligence/test/v1/echo_pb.ts';
import { JsonReaders, type Local } from '../src/json-message.ts';
import { JsonText } from '../src/json-text.ts';
import { Printer } from '../src/printing.ts';

const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31);
const parameters = { seed, numRuns: 400 };
const readers = new JsonReaders(createRegistry(KindsSchema));

function read<D extends DescMessage>(desc: D, text: string): Message {
  const message = create(desc) as unknown as Local;
  const json = new JsonText(text, 100);
  readers.message(desc)(json, message);
  json.end();
  return message;
}

describe(`seed ${seed}`, () => {
  test('any message survives printing and reading', () => {
    fc.assert(
      fc.property(messages(KindsSchema), (message) => {
        for (const alwaysEmitImplicit of [true, false])
          for (const useProtoFieldName of [true, false]) {
            const text = toJsonString(KindsSchema, message as never, { alwaysEmitImplicit, useProtoFieldName });
            expect(equals(KindsSchema, read(KindsSchema, text) as never, message as never), text).toBe(true);
          }
      }),
      parameters,
    );
  });

  test('any message is printed in turns as it is at once', () => {
    const printer = new Printer(EchoService.method.echoKinds, '', createRegistry(KindsSchema));
    return fc.assert(
      fc.asyncProperty(messages(KindsSchema), async (message) => {
        expect((await printer.printInTurns(message)).body).toBe(printer.print(message).body);
      }),
      parameters,
    );
  });

  test('any message survives printing with blanks and escapes', () => {
    fc.assert(
      fc.property(messages(TreeSchema), (message) => {
        const text = JSON.stringify(JSON.parse(toJsonString(TreeSchema, message as never)), null, '\t\r\n ');
        const escaped = text.replace(/[^\t\r\n -~]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
        expect(equals(TreeSchema, read(TreeSchema, escaped) as never, message as never), escaped).toBe(true);
      }),
      parameters,
    );
  });

  test('what JSON.parse takes is read alike', () => {
    fc.assert(
      fc.property(fc.json({ stringUnit: 'binary', maxDepth: 8 }), (text) => {
        const json = new JsonText(text, 100);
        expect(json.value()).toEqual(JSON.parse(text));
        json.end();
      }),
      parameters,
    );
  });

  test('what JSON.parse refuses is refused, and what it takes is refused only for a reason', () => {
    const broken = fc
      .tuple(fc.json({ maxDepth: 4 }), fc.nat(), fc.nat(3), fc.constantFrom(...'{}[],:"\\ \t\n0-+.eEtfnu1\u0000\ufeff'))
      .map(([text, at, cut, inserted]) => {
        const offset = at % (text.length + 1);
        return text.slice(0, offset) + inserted + text.slice(offset + cut);
      });
    fc.assert(
      fc.property(broken, (text) => {
        const ours = outcome(() => {
          const json = new JsonText(text, 100);
          const value = json.value();
          json.end();
          return value;
        });
        const theirs = outcome(() => JSON.parse(text));
        if (theirs.failed) expect(ours.failed, text).toBeDefined();
        else if (ours.failed) expect(ours.failed).toMatch(/twice|surrogate|range/);
        else expect(ours.value).toEqual(theirs.value);
      }),
      { ...parameters, numRuns: 5000 },
    );
  });
});

function outcome(run: () => unknown): { value?: unknown; failed?: string } {
  try {
    return { value: run() };
  } catch (error) {
    return { failed: (error as Error).message || 'failed' };
  }
}

// Arbitrary messages of a type; those within each other end after a few levels.
function messages(desc: DescMessage, levels = 2): fc.Arbitrary<Message> {
  const plain = desc.fields.filter((field) => field.message?.typeName !== 'google.protobuf.Any');
  const entries = plain.map((field) => fc.option(fieldValue(field, levels), { nil: undefined, freq: 2 }));
  return fc.tuple(...entries).map((values) => {
    const message = create(desc);
    const reflected = reflect(desc, message);
    values.forEach((value, index) => {
      const field = plain[index];
      if (value === undefined || !field || (field.oneof && reflected.oneofCase(field.oneof))) return;
      if (field.fieldKind === 'list') for (const item of value as unknown[]) reflected.get(field).add(item);
      else if (field.fieldKind === 'map')
        for (const [key, item] of value as [never, never][]) reflected.get(field).set(key, item);
      else reflected.set(field, value as never);
    });
    return message;
  });
}

function fieldValue(field: DescField, levels: number): fc.Arbitrary<unknown> {
  switch (field.fieldKind) {
    case 'list':
      return fc.array(elementValue(field, levels), { maxLength: 3 });
    case 'map':
      return fc.array(fc.tuple(scalarValue(field.mapKey), elementValue(field, levels)), { maxLength: 3 });
    default:
      return elementValue(field, levels);
  }
}

function elementValue(field: DescField, levels: number): fc.Arbitrary<unknown> {
  if (field.enum) return fc.constantFrom(...field.enum.values.map((value) => value.number));
  if (field.message)
    return messageValue(field.message, levels).map((message) => reflect(field.message as DescMessage, message));
  return scalarValue(field.scalar as ScalarType);
}

// protobuf-es prints the zero below zero as 0.
const withoutSign = (value: number) => value + 0;

const nanosOf = fc.integer({ min: 0, max: 999_999_999 });

function messageValue(desc: DescMessage, levels: number): fc.Arbitrary<Message> {
  const make = (init: object) => create(desc, init as never) as Message;
  switch (desc.typeName) {
    case 'google.protobuf.Timestamp':
      return fc
        .tuple(fc.bigInt({ min: -62_135_596_800n, max: 253_402_300_799n }), nanosOf)
        .map(([seconds, nanos]) => make({ seconds, nanos }));
    case 'google.protobuf.Duration':
      return fc
        .tuple(fc.bigInt({ min: 0n, max: 315_575_999_999n }), nanosOf, fc.boolean())
        .map(([seconds, nanos, negative]) =>
          make(negative ? { seconds: -seconds, nanos: -nanos } : { seconds, nanos }),
        );
    case 'google.protobuf.FieldMask':
      return fc.array(fc.constantFrom('a', 'b_c', 'd_e_f.g_h'), { maxLength: 3 }).map((paths) => make({ paths }));
    case 'google.protobuf.Struct':
    case 'google.protobuf.Value':
    case 'google.protobuf.ListValue': {
      const value = fc.jsonValue({ maxDepth: 3 });
      const wanted =
        desc.typeName === 'google.protobuf.Struct'
          ? fc.dictionary(fc.string(), value)
          : desc.typeName === 'google.protobuf.ListValue'
            ? fc.array(value)
            : value;
      return wanted.map((json) => read(desc, JSON.stringify(json)));
    }
  }
  if (levels === 0) return fc.constant(make({}));
  return messages(desc, levels - 1);
}

function scalarValue(type: ScalarType): fc.Arbitrary<unknown> {
  switch (type) {
    case ScalarType.STRING:
      return fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('__proto__', 'constructor', '"\\\u0000\n'));
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.BYTES:
      return fc.uint8Array({ maxLength: 20 });
    case ScalarType.DOUBLE:
      return fc.double({ noNaN: true }).map(withoutSign);
    case ScalarType.FLOAT:
      return fc.float({ noNaN: true }).map(withoutSign);
    case ScalarType.INT32:
    case ScalarType.SINT32:
    case ScalarType.SFIXED32:
      return fc.integer();
    case ScalarType.UINT32:
    case ScalarType.FIXED32:
      return fc.nat({ max: 4_294_967_295 });
    case ScalarType.INT64:
    case ScalarType.SINT64:
    case ScalarType.SFIXED64:
      return fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    case ScalarType.UINT64:
    case ScalarType.FIXED64:
      return fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  }
}
