/** The languages that there are texts in. */
export const languages = ['en'] as const;
export type Language = (typeof languages)[number];

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

function chosen(): Language {
  if (typeof localStorage === 'undefined') return 'en';
  const wanted = [localStorage.getItem(stored) ?? '', ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wanted.find((tag): tag is Language => (languages as readonly string[]).includes(tag)) ?? 'en';
}
