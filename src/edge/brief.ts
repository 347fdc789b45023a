/** The most of a caller's own text that an error repeats. */
const repeatedMax = 300;

/** Shortens text that came with the request to `charactersMax`. */
export function brief(text: string, charactersMax = repeatedMax): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax - 3).toWellFormed()}...` : text;
}
