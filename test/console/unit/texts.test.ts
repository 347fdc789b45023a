import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ErrorReason } from '../../../src/gen/intelligence/common/v1/error_reason_pb.ts';

const source = fileURLToPath(new URL('../../../console/src', import.meta.url));

type Texts = Readonly<Record<string, string | { one: string; other: string }>>;

async function textsOf(file: string): Promise<Texts> {
  return ((await import(join(source, 'i18n', file))) as { default: Texts }).default;
}

const languages = ['de'];
const pages = globSync('*.ts', { cwd: join(source, 'i18n', 'en') }).sort();

/** The parameters of a text, over all of its forms. */
function paramsOf(text: Texts[string]): string[] {
  const forms = typeof text === 'string' ? [text] : [text.one, text.other];
  return [...new Set(forms.flatMap((form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)))].sort();
}

test.each(languages)('what is there in %s has each key of the English texts, with its parameters', async (language) => {
  for (const page of pages.filter((name) => existsSync(join(source, 'i18n', language, name)))) {
    const english = await textsOf(`en/${page}`);
    const other = await textsOf(`${language}/${page}`);
    expect(Object.keys(other), page).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(english))
      expect(paramsOf(other[key] ?? ''), `${language} ${page} ${key}`).toEqual(paramsOf(text));
  }
});

test('no text is empty, or has spaces around it', async () => {
  expect(pages).toContain('common.ts');
  for (const page of pages)
    for (const [key, text] of Object.entries(await textsOf(`en/${page}`)))
      for (const form of typeof text === 'string' ? [text] : [text.one, text.other]) {
        expect(form, `${page} ${key}`).toBe(form.trim());
        expect(form, `${page} ${key}`).not.toBe('');
      }
});

test('each text of a page is used in the page', async () => {
  const sources = globSync('**/*.{ts,tsx}', { cwd: source, exclude: ['i18n/en/*', 'i18n/de/*'] });
  const all = sources.map((file) => readFileSync(join(source, file), 'utf8')).join('\n');
  const unused: string[] = [];
  for (const file of pages) {
    const page = file.replace('.ts', '');
    // A page that is not built yet has a title, which the menu does not need.
    if (page !== 'common' && !existsSync(join(source, 'pages', page))) continue;
    // `findText(page, \`prefix-${...}\`)` and `t(\`page.prefix-${...}\`)` use every key of their prefix.
    const prefixes = [...all.matchAll(/`(?:[a-z]+(?:-[a-z]+)*\.)?([a-z]+(?:-[a-z]+)*-)\$\{/gi)].map(
      ([, prefix = '']) => prefix,
    );
    for (const key of Object.keys(await textsOf(`en/${file}`)))
      if (
        !all.includes(`${page}.${key}'`) &&
        !all.includes(`'${key}'`) &&
        !prefixes.some((prefix) => key.startsWith(prefix))
      )
        unused.push(`${page}.${key}`);
  }
  expect(unused).toEqual([]);
});

test('a refusal that one can meet in the console is said in words', async () => {
  const common = await textsOf('en/common.ts');
  const reasons = Object.keys(ErrorReason);
  const worded = Object.keys(common)
    .filter((key) => key.startsWith('error-'))
    .map((key) => key.slice('error-'.length));
  expect(worded.filter((reason) => reason !== 'NO_ANSWER' && !reasons.some((known) => known.endsWith(reason)))).toEqual(
    [],
  );
});
