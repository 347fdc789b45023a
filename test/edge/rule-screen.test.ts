import { create } from '@bufbuild/protobuf';
import { pathToString } from '@bufbuild/protobuf/reflect';
import { createValidator } from '@bufbuild/protovalidate';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createPatternMatcher } from '../../src/edge/patterns.ts';
import { createRuleScreen } from '../../src/edge/rule-screen.ts';
import { shortened } from '../../src/edge/shortened.ts';
import { ChatRequestSchema } from '../../src/gen/intelligence/chat/v1/chat_service_pb.ts';
import { messages, received } from './odd-messages.ts';

const regexMatch = createPatternMatcher();
const isInOrder = createRuleScreen(regexMatch);
const validator = createValidator({ regexMatch, failFast: true });
/** What the screen leaves to protovalidate whatever is in it: rules of a message, and of well-known types. */
const left = ['intelligence.pulse.v1.GetJourneyReportRequest'];

describe('the screen passes nothing that protovalidate refuses', () => {
  test.each([...received].map((desc) => [desc.typeName.replace('intelligence.', ''), desc] as const))(
    '%s',
    (_, desc) => {
      let valid = 0;
      let passed = 0;
      fc.assert(
        fc.property(messages(desc), (message) => {
          const isValid = validator.validate(desc, message as never).kind === 'valid';
          const isPassed = isInOrder(desc, message as never);
          valid += Number(isValid);
          passed += Number(isPassed);
          return isValid || !isPassed;
        }),
        { numRuns: 500 },
      );
      // It would be useless if it passed nothing.
      if (valid > 0 && !left.includes(desc.typeName)) expect(passed).toBeGreaterThan(0);
    },
  );
});

test.each([
  ['as long as is allowed', 4_194_304, true],
  ['longer', 4_194_305, false],
])('a text %s is measured in bytes', (_, bytes, expected) => {
  for (const content of ['a'.repeat(bytes), `${'é'.repeat((bytes - (bytes % 2)) / 2)}${'a'.repeat(bytes % 2)}`])
    expect(isInOrder(ChatRequestSchema, create(ChatRequestSchema, { messages: [{ role: 'user', content }] }))).toBe(
      expected,
    );
});

describe('a message whose long texts are cut has the same faults', () => {
  const all = createValidator({ regexMatch });
  test.each([...received].map((desc) => [desc.typeName.replace('intelligence.', ''), desc] as const))(
    '%s',
    (_, desc) => {
      const faultsOf = (message: object) => {
        const { violations } = all.validate(desc, message as never);
        return violations?.map(({ field, ruleId }) => [pathToString(field), ruleId]);
      };
      fc.assert(
        fc.property(messages(desc), (message) => {
          expect(faultsOf(shortened(desc, message as never, regexMatch))).toEqual(faultsOf(message));
        }),
      );
    },
  );
});

test('texts of any length are cut where they are in order, and nothing of the message itself is changed', () => {
  const content = 'a'.repeat(4_000_000);
  const [parts, tooLong] = [[{ part: { case: 'text' as const, value: content } }], 'a'.repeat(4_194_305)];
  const given = {
    messages: [
      { role: 'user', content, parts },
      { role: 'user', content: tooLong },
    ],
    metadata: { a: content },
  };
  const message = create(ChatRequestSchema, given);
  const short = shortened(ChatRequestSchema, message, regexMatch);
  expect(short.messages.map((each) => each.content.length)).toEqual([64, 4_194_305]);
  expect(short.messages[0]?.parts[0]?.part.value).toHaveLength(64);
  expect(short.metadata.a).toHaveLength(4_000_000);
  expect(message).toEqual(create(ChatRequestSchema, given));
});
