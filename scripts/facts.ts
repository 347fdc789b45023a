// Writes docs/facts.md: the names that the workflows know, from the packs that they run. `npm run docs:facts`.
import { writeFileSync } from 'node:fs';
import { listPacks, type PackList } from '../src/workflows/list-packs.ts';

const inWords = (list: readonly string[]) => list.map((item) => `\`${item}\``).join(', ');
const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [
    `| ${head.join(' | ')} |`,
    `|${head.map(() => '---|').join('')}`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ].join('\n');
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll('\n', ' ');

/** The catalogue as a page, from the reply of `GET /v1/workflows/packs`. */
export function catalogue({ listings, forms, scorecards, risks, draftKinds }: PackList): string {
  const parts = [
    '# What the workflows know by name',
    'Made from the packs by `npm run docs:facts`; `GET /v1/workflows/packs` answers the same as JSON. Names count without regard to case and signs.',
    '## Facts of listings',
    'Read from attributes and from prose in English, German, Spanish and French. Required: without it, or another fact of the same check, the listing is blocked.',
  ];
  for (const { id, version, description, facts } of listings)
    parts.push(
      `### ${id}`,
      `${description} Version ${version}.`,
      table(
        ['fact', 'type', 'unit', 'need', 'attributes that give it', 'values'],
        facts.map(({ name, type, unit, need, attributes, choices }) => [
          `\`${name}\``,
          type,
          unit,
          need,
          inWords(attributes),
          choices.join(', '),
        ]),
      ),
    );
  parts.push('## Forms', 'The `template` of guidance.');
  for (const { id, version, description, fields } of forms)
    parts.push(
      `### ${id}`,
      `${description} Version ${version}.`,
      table(
        ['field', 'label', 'kind', 'required', 'choices'],
        fields.map(({ name, label, kind, required, choices }) => [
          `\`${name}\``,
          cell(label),
          kind,
          required ? 'yes' : '',
          choices.join(', '),
        ]),
      ),
    );
  parts.push('## Scorecards', 'Indicators are given in `metrics` (numbers) or `answers`.');
  for (const { id, version, description, dimensions, gates } of scorecards)
    parts.push(
      `### ${id}`,
      `${description} Version ${version}.`,
      table(
        ['dimension', 'indicator', 'label', 'answers'],
        dimensions.flatMap(({ label, indicators }) =>
          indicators.map((indicator) => [
            cell(label),
            `\`${indicator.name}\``,
            cell(indicator.label),
            Object.keys(indicator.choices).join(', '),
          ]),
        ),
      ),
      gates.length === 0
        ? 'No gates.'
        : `Gates: ${gates.map(({ indicator, below, rating }) => `\`${indicator}\` below ${below ?? 50}: at most ${rating}`).join('; ')}.`,
    );
  parts.push(
    '## Risk',
    table(
      ['pack', 'version', 'domain', 'languages', 'categories'],
      risks.map(({ id, version, domain, languages, categories }) => [
        `\`${id}\``,
        String(version),
        domain,
        languages.join(', '),
        categories.join(', '),
      ]),
    ),
  );
  parts.push(
    '## Kinds of drafts',
    table(
      ['kind', 'field', 'type', 'required'],
      draftKinds.flatMap(({ id, fields }) =>
        fields.map(({ name, type, required, unless }) => [
          `\`${id}\``,
          `\`${name}\``,
          type,
          required ? `yes${unless.length > 0 ? `, unless ${inWords(unless)}` : ''}` : '',
        ]),
      ),
    ),
  );
  return `${parts.join('\n\n')}\n`;
}

if (import.meta.main) writeFileSync(new URL('../docs/facts.md', import.meta.url), catalogue(listPacks('')));
