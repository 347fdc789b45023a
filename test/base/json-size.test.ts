import { expect, it } from 'vitest';
import { tooLargeJson } from '../../src/base/json-size.ts';

const most = { values: 1_000, levels: 3, characters: 10 };

it('counts names of objects, and not the places in a list', () => {
  expect(tooLargeJson({ abcdefghij: 1 }, most)).toBeUndefined();
  expect(tooLargeJson({ abcdefghijk: 1 }, most)).toContain('10 characters');
  expect(tooLargeJson({ abcde: 'fghijk' }, most)).toContain('10 characters');
  expect(tooLargeJson(Array(900).fill(1), most)).toBeUndefined();
  expect(tooLargeJson([...Array(900).fill(1), 'abcdefghijk'], most)).toContain('10 characters');
});

it('counts values and levels', () => {
  expect(tooLargeJson(Array(999).fill(1), most)).toBeUndefined();
  expect(tooLargeJson(Array(1_000).fill(1), most)).toContain('1000 values');
  expect(tooLargeJson([[[1]]], most)).toBeUndefined();
  expect(tooLargeJson([[[[1]]]], most)).toContain('3 levels');
});
