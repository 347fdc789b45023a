/** The available languages, each by its own name. */
export const languageNames = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languageNames;
export const languages = Object.keys(languageNames) as readonly Language[];

const stored = 'console.language';

let current: Language | undefined;

/** The chosen language, else the first of the browser's languages that is available, else English. */
export function language(): Language {
  current ??= chosen();
  return current;
}

/** The choice is kept in this browser. The page is reloaded, because every text on it changes. */
export function chooseLanguage(to: Language): void {
  localStorage.setItem(stored, to);
  location.reload();
}

/** The locale for numbers, amounts and times. `en-US` has AM and PM, and dates with the month first; the console uses neither. */
export function locale(): string {
  return language() === 'en' ? 'en-GB' : language();
}

function chosen(): Language {
  if (typeof localStorage === 'undefined') return 'en';
  const wanted = [localStorage.getItem(stored) ?? '', ...navigator.languages.map(nameOf)];
  return wanted.find((name): name is Language => (languages as readonly string[]).includes(name)) ?? 'en';
}

/** `de-AT` is German. */
function nameOf(tag: string): string {
  return tag.toLowerCase().split('-', 1)[0] ?? '';
}
