// Forms as companies send them: fields without a kind, placeholders, numbers of their country, what they put into free text.
import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { ask } from './ask.ts';

type Field = readonly [name: string, kind: string, label: string, value: string | number | string[]];

const fill = (fields: readonly Field[], locale = '', more: object = {}) =>
  ask(guidanceFamily, CheckProfileRequestSchema, {
    form: {
      name: 'own',
      fields: fields.map(([name, kind, label]) => ({ name, kind, label, required: true, ...more })),
    },
    values: Object.fromEntries(fields.map(([name, , , value]) => [name, value])),
    locale,
  });
const statusOf = (...field: Field) => fill([field]).fields[0]?.status;

describe('a placeholder', () => {
  it.each(['xxx', 'TBC', 'n/a', 'k. A.', 'à compléter', 's. o.', 's.u.', 'siehe oben'])(
    'is no value, whether the field says that it is a text or not: %s',
    (value) => {
      expect(statusOf('doctor', '', 'Doctor', value)).toBe('missing');
      expect(statusOf('doctor', 'text', 'Doctor', value)).toBe('missing');
    },
  );
});
