import { create, createRegistry, type DescMethod, fromBinary, type Message, toBinary } from '@bufbuild/protobuf';
import {
  AnySchema,
  BoolValueSchema,
  DurationSchema,
  FieldMaskSchema,
  Int32ValueSchema,
  StructSchema,
  TimestampSchema,
  ValueSchema,
} from '@bufbuild/protobuf/wkt';
import { RestError } from '@intelligence-api/transcoding';
import { createJsonCodecs, createPrintableChecks } from '@intelligence-api/transcoding/parts';
import {
  type ConformanceRequest,
  type ConformanceResponse,
  ConformanceResponseSchema,
  TestCategory,
  WireFormat,
} from '../gen/conformance/conformance_pb.ts';
import { file_google_protobuf_test_messages_edition2023 as edition2023 } from '../gen/google/protobuf/test_messages_edition2023_pb.ts';
import { file_google_protobuf_test_messages_proto2_editions as proto2Editions } from '../gen/google/protobuf/test_messages_proto2_editions_pb.ts';
import { file_google_protobuf_test_messages_proto2 as proto2 } from '../gen/google/protobuf/test_messages_proto2_pb.ts';
import { file_google_protobuf_test_messages_proto3_editions as proto3Editions } from '../gen/google/protobuf/test_messages_proto3_editions_pb.ts';
import { file_google_protobuf_test_messages_proto3 as proto3 } from '../gen/google/protobuf/test_messages_proto3_pb.ts';

const registry = createRegistry(
  ...[proto2, proto3, proto2Editions, proto3Editions, edition2023],
  ...[
    AnySchema,
    BoolValueSchema,
    DurationSchema,
    FieldMaskSchema,
    Int32ValueSchema,
    StructSchema,
    TimestampSchema,
    ValueSchema,
  ],
);
const codecs = createJsonCodecs(registry);
const checks = createPrintableChecks();

/**
 * What the service makes of one case of the suite: JSON by the reader and the printer of all lanes, binary form by protobuf-es.
 * What the service has no use for is skipped: text format, JSPB, ignoring unknown fields, and cases without JSON.
 */
export function answer(request: ConformanceRequest): ConformanceResponse {
  return create(ConformanceResponseSchema, { result: resultOf(request) });
}

type Result = ConformanceResponse['result'];

function resultOf({ payload, messageType, requestedOutputFormat, testCategory }: ConformanceRequest): Result {
  const isJson = payload.case === 'jsonPayload' || requestedOutputFormat === WireFormat.JSON;
  const isSkipped = !isJson || testCategory === TestCategory.JSON_IGNORE_UNKNOWN_PARSING_TEST;
  if (isSkipped) return { case: 'skipped', value: 'not a part of the service' };
  const desc = registry.getMessage(messageType);
  if (!desc) return { case: 'skipped', value: `no such message type: ${messageType}` };
  const codec = codecs({ input: desc, output: desc } as DescMethod);
  let message: Message;
  try {
    if (payload.case === 'jsonPayload') message = codec.read(payload.value);
    else if (payload.case === 'protobufPayload') message = fromBinary(desc, payload.value);
    else return { case: 'skipped', value: 'not a part of the service' };
  } catch (error) {
    if (payload.case === 'jsonPayload' && !(error instanceof RestError)) return fault(error);
    return { case: 'parseError', value: (error as Error).message };
  }
  try {
    if (requestedOutputFormat === WireFormat.PROTOBUF)
      return { case: 'protobufPayload', value: toBinary(desc, message) };
    const unprintable = checks(desc)?.(message);
    if (unprintable) return { case: 'serializeError', value: `${unprintable.field}: ${unprintable.description}` };
    return { case: 'jsonPayload', value: codec.print(message) };
  } catch (error) {
    return fault(error);
  }
}

/** Neither refused nor answered: that is never right. */
function fault(error: unknown): Result {
  return { case: 'runtimeError', value: String(error) };
}
