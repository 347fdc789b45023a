import type { FormField } from '../../gen/intelligence/workflow/v1/guidance_pb.ts';
import type { Plain } from '../family.ts';
import { wordsOf } from '../sense/field-meaning.ts';

// What a field that names no kind asks for where its words say nothing else, in English, German, Spanish and French.
const named: readonly (readonly [string, RegExp])[] = [
  [
    'email',
    /^(?:(?:your|ihre|su|votre|contact|work|private|email|e mail|mail|correo|courriel|adresse|address|direccion de) )*(?:e ?mail|mail|e ?mail ?(?:address|adresse)|correo(?: electronico)?|courriel|adresse (?:e ?mail|mail|electronique))$/,
  ],
  [
    'phone',
    /^(?:(?:your|ihre|su|votre|contact|home|work|phone|tel|telefon|telefono|telephone|mobile|numero de) )*(?:phone|telephone|telefon|telefono|tel|(?:phone|telephone|mobile|cell) (?:number|no)|(?:telefon|handy|mobil) ?(?:nummer|nr)|numero de (?:telefono|telephone|movil|portable))$/,
  ],
  [
    'country',
    /^(?:(?:country|land|pais|pays) )*(?:country|land|pais|pays|country of residence|wohnsitzland|pais de residencia|pays de residence)$/,
  ],
];

/** A field that names no kind is a text, unless all its words say that it is an address, a telephone number or a country. */
export function withKind(field: Plain<FormField>): Plain<FormField> {
  if (field.kind !== '') return field;
  const words = wordsOf(field.name, field.label);
  return { ...field, kind: named.find(([, pattern]) => pattern.test(words))?.[0] ?? 'text' };
}
