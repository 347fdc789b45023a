/** A number with a form that can be checked, and the words by which a field asks for it. */
export interface KnownNumber {
  /** Over folded words of name and label, in English, German, Spanish and French. */
  words: RegExp;
  /** Fields that have these words, too, ask for something else. */
  unless?: RegExp;
  /** The countries that have it; where the form's country is another, nothing is judged. */
  of?: readonly string[];
  /** Over the text without blanks, dots, hyphens and slashes, in capitals. */
  isRight(number: string, country: string | undefined): boolean;
  /** Over the same: whether it may be right, but had better be compared with the papers. */
  isDoubtful?(number: string): boolean;
}
