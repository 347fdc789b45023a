#!/usr/bin/env node
// The program that protobuf's conformance runner asks: a length of four bytes and a message, on both sides.
import { appendFileSync, readSync, writeSync } from 'node:fs';
import { fromBinary, toBinary } from '@bufbuild/protobuf';
import { ConformanceRequestSchema, ConformanceResponseSchema } from '../gen/conformance/conformance_pb.ts';
import { answer } from './answer.ts';

const record = process.env.CONFORMANCE_RECORD;

for (let head = read(4); head; head = read(4)) {
  const bytes = read(head.readUInt32LE(0));
  if (!bytes) break;
  const request = fromBinary(ConformanceRequestSchema, bytes);
  const answered = answer(request);
  const response = Buffer.from(toBinary(ConformanceResponseSchema, answered));
  if (record !== undefined && answered.result.case !== 'skipped')
    for (const part of [bytes, response]) appendFileSync(record, sized(part));
  write(sized(response));
}

function sized(bytes: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(bytes.length);
  return Buffer.concat([head, bytes]);
}

function read(length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  for (let at = 0; at < length; ) {
    const count = readSync(0, bytes, at, length - at, null);
    if (count === 0) return undefined;
    at += count;
  }
  return bytes;
}

function write(bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at);
}
