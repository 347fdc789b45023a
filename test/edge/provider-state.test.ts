import { expect, test } from 'vitest';
import { dataOf, stateIn } from '../../src/edge/provider-state.ts';

test('a state comes back as it went, whatever its calls are named', () => {
  const calls = new Map(
    ['call_1', '__proto__', 'constructor', 'with a blank', 'a\nline', 'ü%20'].map((id) => [id, 'c3RhdGU=']),
  );
  for (const state of [
    { message: 'v1.bWVzc2FnZQ', calls },
    { message: '', calls },
    { message: 'v1.bWVzc2FnZQ', calls: new Map<string, string>() },
  ])
    expect(stateIn(dataOf(state) ?? '')).toEqual(state);
  expect(dataOf({ message: '', calls: new Map() })).toBeUndefined();
});

test('what is none is refused before much of it is read', () => {
  const text = (plain: string) => Buffer.from(plain).toString('base64');
  expect(stateIn(text('{"message":"","calls":{}}'))).toBeUndefined();
  expect(stateIn(text('state\nno-state-of-it'))).toBeUndefined();
  expect(stateIn(text('state\n%E0%A4%A state'))).toBeUndefined();
  expect(stateIn(text(`state${'\ncall state'.repeat(128)}`))).toBeDefined();
  expect(stateIn(text(`state${'\ncall state'.repeat(129)}`))).toBeUndefined();
  expect(stateIn(text(`state${'\ncall state'.repeat(500_000)}`))).toBeUndefined();
  expect(stateIn('A'.repeat(12 * 1024 * 1024 + 4))).toBeUndefined();
});
