export const themes = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof themes)[number];

const stored = 'console.theme';

/** The choice in this browser; `auto` follows the device. */
export function theme(): Theme {
  const chosen = localStorage.getItem(stored);
  return themes.find((each) => each === chosen) ?? 'auto';
}

export function chooseTheme(to: Theme): void {
  localStorage.setItem(stored, to);
  applyTheme();
}

/** Sets the theme for the style sheet, which has every colour twice. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = theme();
}
