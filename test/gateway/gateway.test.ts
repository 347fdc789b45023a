import { afterAll, beforeAll, expect, test } from 'vitest';
import { exceptions } from './exceptions.ts';
import { type Answer, difference, recordedAnswers, startTranscoder, type Transcoder } from './replay.ts';
import { gatewayRequests } from './requests.ts';

let transcoder: Transcoder;
beforeAll(async () => {
  transcoder = await startTranscoder();
});
afterAll(() => transcoder.close());

const nameOf = ({ request, body }: Pick<Answer, 'request' | 'body'>) =>
  body === undefined ? request : `${request} ${body}`;

test('the recorded answers are those to the listed requests', () => {
  const answers = recordedAnswers();
  expect(answers.map(nameOf)).toEqual(gatewayRequests.map(nameOf));
  expect(new Set(answers.map(nameOf)).size).toBe(answers.length);
});

test('requests are answered as by grpc-gateway, but for the listed exceptions', async () => {
  const listed = Object.values(exceptions).flat();
  const different: Record<string, string> = {};
  let same = 0;
  for (const theirs of recordedAnswers()) {
    const found = difference(theirs, await transcoder.answer(theirs));
    if (found === undefined) same += 1;
    else different[nameOf(theirs)] = found;
  }
  const unlisted = Object.fromEntries(Object.entries(different).filter(([name]) => !listed.includes(name)));
  expect(unlisted).toEqual({});
  expect(Object.keys(different).sort()).toEqual([...listed].sort());
  expect([same, listed.length]).toEqual([321, 71]);
});
