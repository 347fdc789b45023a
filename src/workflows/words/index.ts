export { notEvaluated } from './not-evaluated.ts';
export {
  formLabels,
  formWordsOf,
  indicatorLabels,
  listingDone,
  listingRule,
  packWords,
  scorecardWordsOf,
} from './pack-words.ts';
export { type SentenceName, type SentenceValues, sentenceValues } from './sentences.ts';
export { decimalSignIn, english, type Message, type Words, wordsFor } from './words.ts';
