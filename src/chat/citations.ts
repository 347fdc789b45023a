import type {
  LanguageModelV4Citation,
  LanguageModelV4Content,
  LanguageModelV4Source,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { present } from '../base/present.ts';
import type { Citation } from './types.ts';

/** A citation in a piece of text that begins at `offset` in the reply. */
function citationOf(
  { source, startIndex, endIndex, citedText }: LanguageModelV4Citation,
  offset: number,
  length: number,
): Citation {
  const isPlaced = startIndex !== undefined && endIndex !== undefined;
  return present({
    ...sourceOf(source),
    citedText,
    // A citation without a position covers the whole piece of text it came with.
    startIndex: offset + (isPlaced ? startIndex : 0),
    endIndex: offset + (isPlaced ? endIndex : length),
  });
}

/** A source of the reply as a whole. */
function sourceOf(source: LanguageModelV4Source): Citation {
  if (source.sourceType === 'url') return present({ url: source.url, title: source.title });
  const stated = Object.values(source.providerMetadata ?? {});
  const numberIn = (...names: string[]) =>
    stated.flatMap((metadata) => names.map((name) => metadata[name])).find((value) => typeof value === 'number');
  // Anthropic's end page is exclusive.
  const after = numberIn('end_page_number', 'endPageNumber');
  return present({
    title: source.title,
    page: numberIn('start_page_number', 'startPageNumber'),
    lastPage: after === undefined ? undefined : after - 1,
    document: numberIn('document_index'),
  });
}

/** Collects the sources of a reply's text as it arrives. */
export class Citations {
  readonly #cited: Citation[] = [];
  readonly #sources: Citation[] = [];
  readonly #open = new Map<string, { offset: number; length: number }>();
  #length = 0;

  /** One part of a whole reply. */
  whole(part: LanguageModelV4Content): void {
    if (part.type === 'source') this.#sources.push(sourceOf(part));
    if (part.type !== 'text') return;
    this.#add(part.citations, this.#length, part.text.length);
    this.#length += part.text.length;
  }

  /** One part of a streamed reply. */
  piece(part: LanguageModelV4StreamPart): void {
    if (part.type === 'source') this.#sources.push(sourceOf(part));
    else if (part.type === 'text-start') this.#open.set(part.id, { offset: this.#length, length: 0 });
    else if (part.type === 'text-delta') {
      this.#length += part.delta.length;
      const text = this.#open.get(part.id);
      if (text) text.length += part.delta.length;
    } else if (part.type === 'text-end') {
      const { offset, length } = this.#open.get(part.id) ?? { offset: this.#length, length: 0 };
      this.#add(part.citations, offset, length);
    }
  }

  /** Citations with a position in the text, if any; otherwise the sources of the reply as a whole. */
  get list(): readonly Citation[] {
    return this.#cited.length > 0 ? this.#cited : this.#sources;
  }

  #add(citations: readonly LanguageModelV4Citation[] | undefined, offset: number, length: number): void {
    for (const citation of citations ?? []) this.#cited.push(citationOf(citation, offset, length));
  }
}
