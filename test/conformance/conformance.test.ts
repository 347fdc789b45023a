import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { fromBinary, toJson } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { ConformanceRequestSchema, ConformanceResponseSchema } from '../gen/conformance/conformance_pb.ts';
import { answer } from './answer.ts';
import { runnerCommand, runSuite } from './runner.ts';

/** Cases of the suite that have to do with JSON. */
const cases = 1_356;
const exceptions = 4;

test('each case of protobuf’s conformance suite is answered as when its runner agreed', () => {
  const recorded = gunzipSync(readFileSync(join(import.meta.dirname, 'recorded.gz')));
  let count = 0;
  for (let at = 0; at < recorded.length; count += 1) {
    const request = fromBinary(ConformanceRequestSchema, next());
    const response = fromBinary(ConformanceResponseSchema, next());
    expect(toJson(ConformanceResponseSchema, answer(request)), asText(request)).toEqual(
      toJson(ConformanceResponseSchema, response),
    );

    function next(): Uint8Array {
      const start = at + 4;
      at = start + recorded.readUInt32LE(at);
      return recorded.subarray(start, at);
    }
  }
  expect(count).toBe(cases);
});

function asText(request: Parameters<typeof answer>[0]): string {
  return JSON.stringify(toJson(ConformanceRequestSchema, request));
}

const command = runnerCommand();

// Where the runner cannot run, the recorded cases above are all that can be asked, and the name of the other test says so.
if (command === undefined) {
  test('protobuf’s conformance runner does not run here: it needs glibc 2.38 (README.md); the cases above are recorded', () => {
    expect(
      process.env.CONFORMANCE_SYSROOT,
      'the runner must run where a newer glibc was unpacked for it',
    ).toBeUndefined();
  });
} else {
  test('protobuf’s conformance runner agrees, but for the listed exceptions', { timeout: 300_000 }, () => {
    const outputDir = mkdtempSync(join(tmpdir(), 'conformance-'));
    const { status, printed } = runSuite(command, outputDir);
    rmSync(outputDir, { recursive: true });
    expect(status, printed).toBe(0);
    expect(printed).toContain(`PASSED: ${cases - exceptions} successes`);
    expect(printed).toContain(`${exceptions} expected failures, 0 unexpected failures`);
  });
}
