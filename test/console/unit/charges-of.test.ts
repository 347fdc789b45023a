import { expect, test } from 'vitest';
import { chargesOf, type Group } from '../../../console/src/pages/usage/sums.ts';

const days = { first: '2025-11-24', last: '2026-11-23' };
const none = { ...days, label: '', metadata: undefined };
const blue = { key: 'project', value: 'blue' };
const found = (search: string | undefined) => search && Object.fromEntries(new URLSearchParams(search));

test.each(['model', 'operation', 'key', 'device', 'subject'] as const)(
  'the charges of a group by %s are of the same days, and of the same label',
  (group: Group) => {
    expect(found(chargesOf(group, 'x y', none))).toEqual({ [group]: 'x y', from: days.first, to: days.last });
    expect(found(chargesOf(group, 'x', { ...none, metadata: blue }))).toEqual({
      ...{ [group]: 'x', label: 'project=blue', from: days.first, to: days.last },
    });
  },
);

test('by label, the charges are those with the label of the row', () => {
  const expected = { label: 'project=blue', from: days.first, to: days.last };
  expect(found(chargesOf('label', 'blue', { ...none, label: 'project' }))).toEqual(expected);
  expect(found(chargesOf('label', 'blue', { ...none, label: 'project', metadata: blue }))).toEqual(expected);
});

test('where charges cannot be listed like the row, there is no way to them', () => {
  expect(chargesOf('label', 'ada', { ...none, label: 'user', metadata: blue })).toBeUndefined();
  expect(chargesOf('provider', 'openai', none)).toBeUndefined();
  expect(chargesOf('model', undefined, none)).toBeUndefined();
});
