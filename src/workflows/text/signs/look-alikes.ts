/**
 * Letters of other scripts that look like Latin ones (Unicode Technical Standard 39, confusables.txt; those in actual use).
 * Compatibility forms (full-width, mathematical) have already been folded.
 */
const table: ReadonlyMap<string, string> = new Map(
  Object.entries({
    а: 'a',
    ӓ: 'a',
    в: 'b',
    с: 'c',
    ԁ: 'd',
    е: 'e',
    ё: 'e',
    є: 'e',
    һ: 'h',
    н: 'h',
    і: 'i',
    ї: 'i',
    ј: 'j',
    к: 'k',
    ӏ: 'l',
    м: 'm',
    п: 'n',
    о: 'o',
    р: 'p',
    ԛ: 'q',
    г: 'r',
    ѕ: 's',
    т: 't',
    у: 'y',
    ѵ: 'v',
    ԝ: 'w',
    х: 'x',
    з: '3',
    α: 'a',
    β: 'b',
    ε: 'e',
    η: 'n',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    σ: 'o',
    τ: 't',
    υ: 'u',
    χ: 'x',
    ω: 'w',
    γ: 'y',
    ɑ: 'a',
    ɡ: 'g',
    ı: 'i',
    ɩ: 'i',
    ʟ: 'l',
    ո: 'n',
    ս: 'u',
    օ: 'o',
    հ: 'h',
    ց: 'g',
    ᴏ: 'o',
    ʏ: 'y',
    ø: 'o',
    ł: 'l',
    đ: 'd',
    ᴀ: 'a',
    ʙ: 'b',
    ᴄ: 'c',
    ᴅ: 'd',
    ᴇ: 'e',
    ɢ: 'g',
    ʜ: 'h',
    ɪ: 'i',
    ᴊ: 'j',
    ᴋ: 'k',
    ᴍ: 'm',
    ɴ: 'n',
    ᴘ: 'p',
    ʀ: 'r',
    ꜱ: 's',
    ᴛ: 't',
    ᴜ: 'u',
    ᴠ: 'v',
    ᴡ: 'w',
    ᴢ: 'z',
  }),
);
const latin = /[a-z]/;
const beyondAscii = /[^\0-\x7f]/;

/**
 * Converts such letters in a word that also has Latin ones, or that has no others; any other word in another script stays as it
 * is.
 */
export function lookAlikes(word: string): string {
  if (!beyondAscii.test(word) || !latin.test(word)) return allAlike(word);
  let read = '';
  for (const letter of word) read += table.get(letter) ?? letter;
  return read;
}

// A word made only of look-alikes ("рау", "осе") is converted if every letter has a Latin form.
function allAlike(word: string): string {
  if (!beyondAscii.test(word)) return word;
  let read = '';
  for (const letter of word) {
    const alike = table.get(letter);
    if (alike === undefined) return word;
    read += alike;
  }
  return read;
}
