import { describe, expect, it } from 'vitest';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { readinessFamily } from '../../src/workflows/families/readiness.ts';
import { isPlaceholder } from '../../src/workflows/sense/placeholders.ts';
import { ask } from './ask.ts';

const kept = ['TBD', 'k. A.', 'n/a', 'N.A.', 'xxx', '---', '???', 'à compléter', 'À définir', 'por definir', '[TBC]'];

describe('what only keeps a place', () => {
  it.each([...kept, 'non renseigné', 'keine Angabe', 's/d', 'wird nachgereicht'])('%s', (value) => {
    expect(isPlaceholder(value)).toBe(true);
  });

  it.each(['M', '5', 'XL', 'KA', 'none', 'keine', 'Pendientes de plata', 'Na', '0', 'Toyota', '日本', 'x'])(
    'is not: %s',
    (value) => {
      expect(isPlaceholder(value)).toBe(false);
    },
  );

  it.each(kept)('fills in no field of a form: %s', (value) => {
    const { fields, ready } = ask(guidanceFamily, CheckProfileRequestSchema, {
      form: {
        name: 'shop',
        fields: [
          { name: 'legalName', label: 'Legal name', kind: 'text', required: true },
          { name: 'nickname', label: 'Nickname', kind: 'text' },
        ],
      },
      values: { legalName: value, nickname: value },
    });
    expect(fields.map(({ status }) => status)).toEqual(['missing', 'empty']);
    expect(ready).toBe(false);
  });

  const listing = (value: string, title: string) =>
    ask(readinessFamily, ScoreListingRequestSchema, {
      listing: {
        ...{ title, description: value, category: 'Cars', price: 8000, currency: 'EUR', location: value },
        images: [{ url: 'https://img.example/1.jpg' }],
        attributes: { mileage: value, year: value, fuel: value },
      },
    });

  it.each(kept)('is no title and no description of a listing: %s', (value) => {
    const blockers = listing(value, value).blockers.map(({ check }) => check);
    expect(blockers).toEqual(expect.arrayContaining(['title-says-something', 'description-not-placeholder']));
  });

  it.each(kept)('is no place and no fact of a listing: %s', (value) => {
    const { blockers, facts } = listing(value, 'VW Golf 7');
    expect(blockers.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['mileage-given', 'year-given', 'fuel-given', 'place-given']),
    );
    expect(facts.filter(({ source }) => source === 'field')).toEqual([]);
  });
});
