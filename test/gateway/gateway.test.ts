import { afterAll, beforeAll, expect, test } from 'vitest';
import { exceptions } from './exceptions.ts';
import { difference, recordedAnswers, startTranscoder, type Transcoder } from './replay.ts';
import { gatewayRequests, nameOf } from './requests.ts';

let transcoder: Transcoder;
beforeAll(async () => {
  transcoder = await startTranscoder();
});
afterAll(() => transcoder.close());

test('the recorded answers are those to the listed requests', () => {
  const answers = recordedAnswers();
  expect(answers.map(nameOf)).toEqual(gatewayRequests.map(nameOf));
  expect(new Set(answers.map(nameOf)).size).toBe(answers.length);
});

test('requests are answered as by grpc-gateway, but for the listed exceptions', async () => {
  const listed = Object.values(exceptions).flat();
  const isMeant = (name: string) => (exception: string | RegExp) =>
    typeof exception === 'string' ? exception === name : exception.test(name);
  const names = recordedAnswers().map(nameOf);
  expect(listed.filter((exception) => !names.some((name) => isMeant(name)(exception)))).toEqual([]);
  const unlisted: Record<string, string> = {};
  const alike: string[] = [];
  let same = 0;
  for (const theirs of recordedAnswers()) {
    const name = nameOf(theirs);
    const found = difference(theirs, await transcoder.answer(theirs));
    const isListed = listed.some(isMeant(name));
    if (found === undefined) same += 1;
    if (found === undefined && isListed) alike.push(name);
    if (found !== undefined && !isListed) unlisted[name] = found;
  }
  expect(unlisted).toEqual({});
  expect(alike).toEqual([]);
  expect([names.length, same]).toEqual([1_255, 974]);
});
