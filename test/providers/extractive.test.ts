import { expect, test } from 'vitest';
import { extractiveAnswer } from '../../src/providers/extractive-answer.ts';

test.each([
  {
    texts: ['Paris is the capital of France. What is the capital of France?'],
    answer: 'Paris is the capital of France.',
  },
  {
    texts: ['The Basic plan fits small shops. Bears sleep.', 'Which plan fits a small shop?'],
    answer: 'The Basic plan fits small shops.',
  },
])('a question is answered from what was said: $texts', ({ texts, answer }) => {
  expect(extractiveAnswer(texts)).toBe(`From this conversation: ${answer}`);
});

test('a question that nothing else speaks of is not answered', () => {
  expect(extractiveAnswer(['What is the capital of France?'])).toContain('holds nothing else');
});
