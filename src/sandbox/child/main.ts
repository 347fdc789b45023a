import { Buffer } from 'node:buffer';
import { readSync, writeSync } from 'node:fs';
import { answerBytesMax, frameHeadBytes, writeFrame } from '../frame.ts';
import type { ChildMessage, Job } from '../job.ts';
import { doJob } from './do-job.ts';
import { warmUp } from './warm-up.ts';

const input = 0;
const output = 1;
const { exit, cpuUsage } = process;

// Reads and answers one job at a time, synchronously: the sender kills this process if the answer takes too long. When the
// service exits, however it does, the pipe closes and this process ends.
warmUp();
forgetTheWorld();
write(frameOf('ready'));
for (;;) write(frameOf(doJob(JSON.parse(readText()) as Job)));

/** Removes globals that callers' code has no use for, in case any of it is ever run as JavaScript. */
function forgetTheWorld(): void {
  for (const name of ['process', 'fetch', 'WebSocket', 'EventSource', 'navigator', 'Request', 'Response'])
    Reflect.deleteProperty(globalThis, name);
}

function readText(): string {
  return readBytes(readBytes(frameHeadBytes).readUInt32LE()).toString('utf8');
}

function readBytes(count: number): Buffer {
  const bytes = Buffer.allocUnsafe(count);
  for (let at = 0; at < count; ) {
    const got = readSync(input, bytes, at, count - at, null);
    if (got === 0) exit(0);
    at += got;
  }
  return bytes;
}

function frameOf(answer: ChildMessage['answer']): Buffer {
  try {
    const frame = writeFrame(message(answer));
    if (frame.length <= answerBytesMax) return frame;
  } catch {
    // A string longer than the engine allows.
  }
  return writeFrame(message({ refused: { at: '', problem: `yields more than ${answerBytesMax / 2 ** 20} MB` } }));
}

function message(answer: ChildMessage['answer']): ChildMessage {
  const { user, system } = cpuUsage();
  return { answer, cpuMicroseconds: user + system };
}

function write(frame: Buffer): void {
  for (let at = 0; at < frame.length; ) at += writeSync(output, frame, at, frame.length - at);
}
