import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { citationOf, textBlocks } from '../../../src/edge/anthropic/citations.ts';
import { CitationSchema } from '../../../src/gen/intelligence/chat/v1/chat_pb.ts';

const located = { title: 'lease.pdf', citedText: 'until 31 May', document: 0, page: 3, lastPage: 4 };

test('a citation of a document names its pages, the last one excluded', () => {
  expect(citationOf(create(CitationSchema, located), [2])).toMatchObject({
    ...{ type: 'page_location', document_index: 2, start_page_number: 3, end_page_number: 5 },
  });
});

test.each(['page', 'document'])('no place is invented for a citation without its %s', (unknown) => {
  const citation = create(CitationSchema, { ...located, lastPage: undefined, [unknown]: undefined });
  expect(citationOf(citation, [0])).toBeUndefined();
  expect(textBlocks('It ends in May.', [citation], [0])).toEqual([
    { type: 'text', text: 'It ends in May.', citations: null },
  ]);
});
