/** The languages that there are texts in, each by the name that it has for itself. */
export const languageNames = { en: 'English', de: 'Deutsch' } as const;
export type Language = keyof typeof languageNames;
export const languages = Object.keys(languageNames) as readonly Language[];

const stored = 'console.language';

let current: Language | undefined;

/** The language that was chosen, else the first of the browser's that there is, else English. */
export function language(): Language {
  current ??= chosen();
  return current;
}

/** Kept in this browser. The page is loaded anew, for every text of it changes. */
export function chooseLanguage(to: Language): void {
  localStorage.setItem(stored, to);
  location.reload();
}

/** How numbers, amounts and times are written. `en-US` has AM and PM, and dates with the month first; the console has neither. */
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
