import type { Citation } from '../../gen/intelligence/chat/v1/chat_pb.ts';

/** Part of a reply's text, with the citations that support it. */
interface Span {
  from: number;
  to: number;
  citations: object[];
}

/** A citation in that API's format. `documents`: the positions of the request's documents among those that the caller sent. */
export function citationOf(citation: Citation, documents: readonly number[]): object | undefined {
  const { url, title, citedText, page, lastPage = page, document } = citation;
  if (url !== '')
    return {
      type: 'web_search_result_location',
      url,
      title: title || null,
      cited_text: citedText,
      encrypted_index: '',
    };
  // The format has no place for an unknown page, and an invented one would mislead.
  if (page === undefined || lastPage === undefined || document === undefined) return undefined;
  return {
    type: 'page_location',
    cited_text: citedText,
    document_index: documents[document] ?? document,
    document_title: title || null,
    // In that API, the last page is exclusive.
    ...{ start_page_number: page, end_page_number: lastPage + 1, file_id: null },
  };
}

/** A reply's text as blocks: each cited part is a block of its own. */
export function textBlocks(text: string, citations: readonly Citation[], documents: readonly number[]): object[] {
  const blocks: object[] = [];
  const add = (from: number, to: number, cited: readonly object[] | null) => {
    if (to > from) blocks.push({ type: 'text', text: text.slice(from, to), citations: cited });
  };
  let end = 0;
  for (const span of spansIn(text, citations, documents)) {
    add(end, span.from, null);
    add(span.from, span.to, span.citations);
    end = span.to;
  }
  add(end, text.length, null);
  return blocks;
}

/** Overlapping parts are merged. A citation without a position applies to all of the text. */
function spansIn(text: string, citations: readonly Citation[], documents: readonly number[]): Span[] {
  const placed = citations.flatMap((citation) => {
    const cited = citationOf(citation, documents);
    if (!cited) return [];
    const { startIndex = 0, endIndex = text.length } = citation;
    const isPart = startIndex < endIndex && endIndex <= text.length;
    return {
      from: isPart ? startIndex : 0,
      to: isPart ? endIndex : text.length,
      cited,
    };
  });
  const spans: Span[] = [];
  for (const { from, to, cited } of placed.toSorted((a, b) => a.from - b.from)) {
    const last = spans.at(-1);
    if (last && from < last.to) {
      last.to = Math.max(last.to, to);
      last.citations.push(cited);
    } else spans.push({ from, to, citations: [cited] });
  }
  return spans;
}
