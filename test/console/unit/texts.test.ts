import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { languages } from '../../../console/src/i18n/language.ts';
import { ErrorReason } from '../../../src/gen/intelligence/common/v1/error_reason_pb.ts';

const source = fileURLToPath(new URL('../../../console/src', import.meta.url));

type Texts = Readonly<Record<string, string | { one: string; other: string }>>;

async function textsOf(file: string): Promise<Texts> {
  return ((await import(join(source, 'i18n', file))) as { default: Texts }).default;
}

const others = languages.filter((language) => language !== 'en');
const pages = globSync('*.ts', { cwd: join(source, 'i18n', 'en') }).sort();

function formsOf(text: Texts[string] = ''): string[] {
  return typeof text === 'string' ? [text] : [text.one, text.other];
}

/** The parameters of a text, over all of its forms. */
function paramsOf(text: Texts[string] | undefined): string[] {
  const names = formsOf(text).flatMap((form) => [...form.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name));
  return [...new Set(names)].sort();
}

test('there is another language than English, and each has the texts of every page', () => {
  expect(others).toContain('de');
  for (const language of others)
    expect(globSync('*.ts', { cwd: join(source, 'i18n', language) }).sort(), language).toEqual(pages);
});

test.each(others)('the texts in %s have each key of the English ones, with its parameters', async (language) => {
  for (const page of pages) {
    const english = await textsOf(`en/${page}`);
    const other = await textsOf(`${language}/${page}`);
    expect(Object.keys(other), page).toEqual(Object.keys(english));
    for (const [key, text] of Object.entries(english))
      expect(paramsOf(other[key]), `${language} ${page} ${key}`).toEqual(paramsOf(text));
  }
});

/** What is the same in English and in German, and why. */
const sameInGerman: readonly (readonly [why: string, texts: readonly string[]])[] = [
  ['names', ['Intelligence API', 'Playground', 'Pulse', 'curl', 'TypeScript', 'Python']],
  ['abbreviations', ['API', 'JSON', 'URL', 'USD', 'UTC']],
  ['units, and what is put together of parameters alone', ['{count} ms', '{seconds} s', '{property}: {value}']],
  [
    'words of the trade that German has, too',
    ['Label', 'Labels', 'Passkeys', 'Tokens', 'Webhooks', 'Workflow', 'Workflows', 'Browser'],
  ],
  ['German words', ['Code', 'Definition', 'Filter', 'Limit', 'Name', 'Option', 'Segment', 'Text']],
  ['German words', ['Version', 'Version {version}', 'optional']],
];

test('no German text was left in English', async () => {
  const allowed = new Set(sameInGerman.flatMap(([, texts]) => texts));
  const met = new Set<string>();
  const left: string[] = [];
  for (const page of pages) {
    const english = await textsOf(`en/${page}`);
    const german = await textsOf(`de/${page}`);
    for (const [key, text] of Object.entries(german))
      for (const form of formsOf(text)) {
        const isSame = formsOf(english[key]).includes(form);
        if (isSame && allowed.has(form)) met.add(form);
        else if (isSame || /\b(and|are|have|of|the|this|with|without|you|your)\b/i.test(form))
          left.push(`${page} ${key}: ${form}`);
      }
  }
  expect(left).toEqual([]);
  // What is allowed and not met is not needed any more.
  expect([...allowed].filter((text) => !met.has(text))).toEqual([]);
});

test.each(languages)('no text in %s is empty, or has spaces around it', async (language) => {
  expect(pages).toContain('common.ts');
  for (const page of pages)
    for (const [key, text] of Object.entries(await textsOf(`${language}/${page}`)))
      for (const form of formsOf(text)) {
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
