/** A number that holds the day of birth of its owner, and how. */
interface BirthNumber {
  words: RegExp;
  /** Over the number without blanks and signs; its groups are the two digits of the year, of the month and, if it has it, of the day. */
  form: RegExp;
}

const birthNumbers: readonly BirthNumber[] = [
  // Mexico: the CURP and the RFC of persons.
  { words: /\bcurp\b/, form: /^[A-Z]{4}(\d{2})(\d{2})(\d{2})[HMX][A-Z]{5}[A-Z\d]\d$/ },
  { words: /\brfc\b/, form: /^[A-ZÑ&]{4}(\d{2})(\d{2})(\d{2})[A-Z\d]{3}$/ },
  // France: the NIR, but for those whose month was not known.
  {
    words: /securite sociale|numero de secu\b|\bnir\b/,
    form: /^[12](\d{2})(0[1-9]|1[0-2])(?:\d{2}|2[AB])\d{6}(?:\d{2})?$/,
  },
  // Belgium: the number in the National Register.
  { words: /registre national|\bniss\b|national register number/, form: /^(\d{2})(0[1-9]|1[0-2])([0-3]\d)\d{5}$/ },
];

/** What the days of birth that a number holds look like (ISO 8601); undefined if it is no such number. */
export function dayWithin(words: string, text: string): RegExp | undefined {
  const form = birthNumbers.find((one) => one.words.test(words))?.form;
  const [, year, month, day] = form?.exec(text.replace(/[\s./-]/g, '').toUpperCase()) ?? [];
  return year === undefined ? undefined : new RegExp(`^\\d\\d${year}-${month}-${day ?? ''}`);
}
