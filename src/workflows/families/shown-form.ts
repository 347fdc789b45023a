import { spokenLabel } from '../../base/text/spoken-name.ts';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { Plain } from '../family.ts';
import { formWordsOf, type Words } from '../words/index.ts';

/** A field of a form, and the parts of it that people read. */
export interface ShownField {
  field: Plain<FormField>;
  shown: { label: string; help: string; example: string; choices: readonly string[] };
}

/** Fields of a shipped form in the reader's language; a caller's own form (no `template`) keeps the caller's words. */
export function shownField(field: Plain<FormField>, template: string, words: Words): ShownField {
  const spoken = formWordsOf(words, template)?.fields[field.name];
  const { label, help } = spoken ?? field;
  // The value to send is shown next to its label.
  const choices = field.choices.map((choice) => {
    const name = spoken?.choices?.[choice] ?? choice;
    return name === choice ? choice : `${name} (${choice})`;
  });
  return { field, shown: { label: label || spokenLabel(field.name), help, example: field.example, choices } };
}
