/** Bounds the work: only the last sentences of a long conversation are ranked. */
const sentencesMax = 2_000;
const answerSentencesMax = 3;

/**
 * Answers from the conversation alone: the sentences most relevant to the last message, in their original order. Each sentence
 * is scored by BM25 against the words of the last message (Robertson and Zaragoza, 2009); if there is nothing else, the last
 * message is summarised by the words that it repeats. The same conversation always gets the same answer.
 */
export function extractiveAnswer(texts: readonly string[]): string {
  const last = texts.at(-1) ?? '';
  const asked = sentencesOf(last).slice(-sentencesMax);
  const questions = asked.filter((sentence) => /[?？]$/u.test(sentence));
  // A message that brings its own facts also asks its questions about those.
  const facts = questions.length > 0 ? asked.filter((sentence) => !questions.includes(sentence)) : [];
  const said = [...texts.slice(0, -1).flatMap(sentencesOf), ...facts].slice(-sentencesMax);
  const related = best(said, wordsOf(questions.length > 0 ? questions.join(' ') : last));
  if (related.length > 0) return `From this conversation: ${related.join(' ')}`;
  if (asked.length > answerSentencesMax) return `In short: ${best(asked, wordsOf(last)).join(' ')}`;
  return `This conversation holds nothing else about: ${last.trim() || 'an empty message'}`;
}

function best(sentences: readonly string[], query: readonly string[]): string[] {
  const documents = sentences.map(wordsOf);
  const weights = inverseDocumentFrequencies(documents);
  const wanted = new Set(query);
  const lengthMean = documents.reduce((sum, words) => sum + words.length, 0) / Math.max(documents.length, 1);
  return documents
    .map((words, index) => ({ index, score: bm25(words, wanted, weights, lengthMean) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, answerSentencesMax)
    .sort((a, b) => a.index - b.index)
    .map(({ index }) => sentences[index] ?? '');
}

function bm25(
  words: readonly string[],
  wanted: ReadonlySet<string>,
  weights: Map<string, number>,
  mean: number,
): number {
  const counts = new Map<string, number>();
  for (const word of words) if (wanted.has(word)) counts.set(word, (counts.get(word) ?? 0) + 1);
  let score = 0;
  for (const [word, count] of counts)
    score += ((weights.get(word) ?? 0) * (count * 2.2)) / (count + 1.2 * (0.25 + (0.75 * words.length) / mean));
  return score;
}

function inverseDocumentFrequencies(documents: readonly (readonly string[])[]): Map<string, number> {
  const holding = new Map<string, number>();
  for (const words of documents) for (const word of new Set(words)) holding.set(word, (holding.get(word) ?? 0) + 1);
  const weights = new Map<string, number>();
  for (const [word, count] of holding)
    weights.set(word, Math.log(1 + (documents.length - count + 0.5) / (count + 0.5)));
  return weights;
}

function sentencesOf(text: string): string[] {
  return text
    .split(/(?<=[.!?。！？])\s+|\n+/u)
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence.length > 0);
}

function wordsOf(text: string): string[] {
  return (text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !commonWords.has(word));
}

// English words that say nothing about a subject.
const commonWords = new Set(
  (
    'a an and are as at be been but by can could did do does for from had has have how i if in into is it its me my no ' +
    'not of on or our please shall she should so tell that the their them then there these they this those to was we ' +
    'were what when where which who why will with would you your'
  ).split(' '),
);
