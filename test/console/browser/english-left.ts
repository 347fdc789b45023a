import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';

const texts = fileURLToPath(new URL('../../../console/src/i18n', import.meta.url));

type Texts = Readonly<Record<string, string | { one: string; other: string }>>;

async function formsOf(language: string): Promise<Set<string>> {
  const files = globSync('*.ts', { cwd: `${texts}/${language}` });
  const pages = await Promise.all(
    files.map(async (file) => ((await import(`${texts}/${language}/${file}`)) as { default: Texts }).default),
  );
  return new Set(pages.flatMap((page) => Object.values(page)).flatMap(formsIn));
}

function formsIn(text: Texts[string]): string[] {
  return typeof text === 'string' ? [text] : [text.one, text.other];
}

/** Each English text that another language has its own for, as it looks when its parameters are filled. */
async function englishOnly(language: string): Promise<RegExp[]> {
  const [english, other] = await Promise.all([formsOf('en'), formsOf(language)]);
  return [...english]
    .filter((form) => !other.has(form) && /[a-z]{2}/i.test(form.replace(/\{\w+\}/g, '')))
    .map(
      (form) =>
        new RegExp(
          `^${form
            .split(/\{\w+\}/)
            .map(escaped)
            .join('.+')}$`,
          's',
        ),
    );
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/**
 * English texts of the console on a page in another language: seen, read out, or shown on hover. What says that it is English may be, and so
 * may `data`, such as names that somebody gave.
 */
export async function englishLeft(page: Page, language: string, data: readonly string[] = []): Promise<string[]> {
  const shown = await page.locator('body, body *').evaluateAll((elements) =>
    elements
      .filter((element) => element.closest('[lang], code, pre')?.localName === 'html')
      .flatMap((element) => [
        ...[...element.childNodes].filter(({ nodeType }) => nodeType === 3).map(({ nodeValue }) => nodeValue),
        ...['aria-label', 'title', 'placeholder', 'alt', 'data-title'].map((name) => element.getAttribute(name)),
      ])
      .map((text) => (text ?? '').trim())
      .filter((text) => text !== ''),
  );
  const [title = ''] = (await page.title()).split(' · ');
  const english = await englishOnly(language);
  return [...new Set([title, ...shown])].filter(
    (text) => !data.includes(text) && english.some((form) => form.test(text)),
  );
}
