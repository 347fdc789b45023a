import { expect, test } from 'vitest';
import { readDataUrl } from '../../src/edge/data-url.ts';
import { base64 } from '../../src/edge/shapes.ts';

test.each([
  ['data:image/png;base64,aGk=', { mediaType: 'image/png', text: 'hi' }],
  ['data:image/svg+xml;base64,aGk', { mediaType: 'image/svg+xml', text: 'hi' }],
  ['data:application/pdf;base64,_-8=', { mediaType: 'application/pdf', text: '\u00ff\u00ef' }],
  ['data:image/png;base64,', undefined],
  ['data:image/png,aGk=', undefined],
  ['data:image/png;base64,aG k=', undefined],
  ['data:image/png;base64,aGk=aGk=', undefined],
  ['data:image/png;base64,a', undefined],
  [`data:image/${'p'.repeat(300)};base64,aGk=`, undefined],
  ['https://a.example/a.png', undefined],
])('%s', (url, expected) => {
  const read = readDataUrl(url);
  expect(read && { mediaType: read.mediaType, text: Buffer.from(read.data).toString('latin1') }).toEqual(expected);
});

test('base64 may be empty, and has no other characters', () => {
  const read = ['', 'aGk=', 'aGk', 'aGk\n', '===', 'aGk!'].map((text) => base64.safeParse(text));
  expect(read.map(({ data }) => data && Buffer.from(data).toString())).toEqual(['', 'hi', 'hi', ...Array(3)]);
  expect(read.at(-1)?.error?.issues).toMatchObject([{ message: 'must be base64' }]);
});
