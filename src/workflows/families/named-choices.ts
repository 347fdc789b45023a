import type { JsonObject } from '@bufbuild/protobuf';
import { ownValue } from '../../base/own-value.ts';
import { foldText } from '../../base/text/fold.ts';
import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { Plain } from '../family.ts';
import type { ProfilePack } from '../packs/profile-pack.ts';
import { packWords } from '../words/pack-words.ts';

/** For each field: whether it takes several choices, and its values by whatever they are called in any language and case. */
type ChoiceNames = ReadonlyMap<string, { takesSeveral: boolean; values: ReadonlyMap<string, string> }>;

const nameMax = 200;
const listMax = 2000;

/** What people call the choices of a shipped form: the values, their labels in every language, and other names from the pack. */
export function choiceNamesOf(template: string, { fields, choiceNames }: ProfilePack): ChoiceNames {
  const forms = [...packWords.profile.values()].map((spoken) => spoken[template]?.fields ?? {});
  return new Map(
    fields
      .filter(({ choices }) => choices.length > 0)
      .map(({ name, kind, choices }) => {
        const labels = forms.flatMap((form) => Object.entries(form[name]?.choices ?? {}));
        const names = [
          ...Object.entries(choiceNames[name] ?? {}),
          ...labels.map(([value, label]): [string, string] => [label, value]),
          ...choices.map((value): [string, string] => [value, value]),
        ];
        const values = new Map(names.map(([called, value]) => [foldText(called), value]));
        return [name, { takesSeveral: kind === 'choices', values }];
      }),
  );
}

/** A caller's own choices in any case; two that differ only in case are matched exactly. */
export function ownChoiceNames(fields: readonly Pick<Plain<FormField>, 'name' | 'kind' | 'choices'>[]): ChoiceNames {
  return new Map(
    fields
      .filter(({ choices }) => choices.length > 0)
      .map(({ name, kind, choices }) => {
        const called = Map.groupBy(choices, (choice) => foldText(choice));
        const values = new Map([...called].flatMap(([word, [one, other]]) => (one && !other ? [[word, one]] : [])));
        return [name, { takesSeveral: kind === 'choices', values }];
      }),
  );
}

/** Replaces choices by the form's own values; anything that names no choice stays as it is. */
export function withChoices(names: ChoiceNames | undefined, values: JsonObject): JsonObject {
  if (names === undefined) return values;
  const read: JsonObject = { ...values };
  for (const [field, { takesSeveral, values: known }] of names) {
    const meant = (value: JsonObject[string]) =>
      typeof value === 'string' && value.length <= nameMax ? (known.get(foldText(value.trim())) ?? value) : value;
    const value = ownValue(values, field);
    const several = takesSeveral && typeof value === 'string' ? listedIn(value, known) : undefined;
    if (several !== undefined) read[field] = several;
    else if (value !== undefined) read[field] = Array.isArray(value) ? value.map((item) => meant(item)) : meant(value);
  }
  return read;
}

/** The choices that a text lists, "cooking, repairs"; undefined if any part of it is none. */
function listedIn(text: string, known: ReadonlyMap<string, string>): string[] | undefined {
  const parts = text.slice(0, listMax).split(/[,;]/);
  const listed = parts.flatMap((part) => known.get(foldText(part.trim())) ?? []);
  return text.length <= listMax && listed.length === parts.length ? listed : undefined;
}
