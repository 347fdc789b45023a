/** Shortens text that came with the request. */
export function brief(text: string, charactersMax = 200): string {
  return text.length > charactersMax ? `${text.slice(0, charactersMax)}...` : text;
}
