import { describe, expect, it } from 'vitest';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { listingPacks, readinessFamily } from '../../src/workflows/families/readiness.ts';
import { ask, prepare, refusedFields } from './ask.ts';

const listing = {
  title: 'Solid oak table for six people',
  category: 'Furniture',
  price: 420,
  currency: 'EUR',
  location: 'Graz',
};

describe('listing packs', () => {
  it('hold at least 25 checks, of which each category adds some', () => {
    const generic = listingPacks.get('generic')?.checks.length ?? 0;
    expect(generic).toBeGreaterThanOrEqual(25);
    for (const name of ['vehicles', 'property', 'electronics'])
      expect(listingPacks.get(name)?.checks.length).toBeGreaterThanOrEqual(generic + 5);
  });

  for (const [policy, pack] of listingPacks)
    for (const example of pack.examples)
      it(`${policy}: ${example.name}`, () => {
        const reply = ask(readinessFamily, ScoreListingRequestSchema, { listing: example.input, policy });
        expect(reply).toMatchObject(example.expect);
        expect(reply.basis?.checks.filter(({ outcome }) => outcome === 'error')).toEqual([]);
      });
});

describe('readiness of a listing', () => {
  it('chooses the pack by the category', () => {
    const packOf = (category: string) =>
      ask(readinessFamily, ScoreListingRequestSchema, { listing: { ...listing, category } }).basis?.packVersion;
    expect(packOf('Used Cars')).toBe('listing/vehicles@1');
    expect(packOf('Apartments')).toBe('listing/property@1');
    expect(packOf('Mobile phones')).toBe('listing/electronics@1');
    expect(packOf('Carpets')).toBe('listing/generic@1');
  });

  it('says the same twice', () => {
    const once = ask(readinessFamily, ScoreListingRequestSchema, { listing });
    expect(ask(readinessFamily, ScoreListingRequestSchema, { listing })).toEqual(once);
  });

  it('counts the caller’s own checks beside those of the pack', () => {
    const checks = [
      {
        id: 'vintage',
        fact: 'age',
        pass: 'given(attributes, "age")',
        weight: 50,
        severity: 'critical',
        action: 'Add the age.',
      },
    ];
    const without = ask(readinessFamily, ScoreListingRequestSchema, { listing, checks });
    expect(without.nextBestAction).toBe('Add the age.');
    expect(without.missingFacts[0]).toBe('age');
    expect(without.blockers.map(({ check }) => check)).toContain('vintage');
    const given = ask(readinessFamily, ScoreListingRequestSchema, {
      listing: { ...listing, attributes: { age: 40 } },
      checks,
    });
    expect(given.readinessScore).toBeGreaterThan(without.readinessScore);
  });

  it('counts a check that cannot be evaluated as failed, and says so', () => {
    const plain = ask(readinessFamily, ScoreListingRequestSchema, { listing });
    const odd = ask(readinessFamily, ScoreListingRequestSchema, {
      listing,
      checks: [{ id: 'odd', pass: 'attributes.nothing.here > 3', weight: 90 }],
    });
    expect(odd.readinessScore).toBeLessThan(plain.readinessScore);
    expect(odd.blockers.find(({ check }) => check === 'odd')?.message).toMatch(/could not be evaluated/);
    expect(odd.basis?.checks.at(-1)).toMatchObject({ id: 'odd', outcome: 'error' });
  });

  it('refuses an unknown policy and attributes without end', () => {
    expect(refusedFields(prepare(readinessFamily, ScoreListingRequestSchema, { listing, policy: 'boats' }))).toEqual([
      'policy',
    ]);
    const many = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`a${index}`, index]));
    expect(
      refusedFields(prepare(readinessFamily, ScoreListingRequestSchema, { listing: { ...listing, attributes: many } })),
    ).toEqual(['listing.attributes']);
    let deep: object = {};
    for (let depth = 0; depth < 50; depth++) deep = { deep };
    expect(
      refusedFields(prepare(readinessFamily, ScoreListingRequestSchema, { listing: { ...listing, attributes: deep } })),
    ).toEqual(['listing.attributes']);
  });

  it('answers to emoji, right-to-left text, NUL and names of object prototypes', () => {
    const odd = {
      title: '🏡🏡 בית יפה \u0000 ‏',
      description: '👩‍👩‍👧‍👦 שקט מאוד '.repeat(40),
      attributes: { __proto__x: 1, constructor: 'a', toString: '' },
    };
    const reply = ask(readinessFamily, ScoreListingRequestSchema, { listing: odd });
    expect(reply.basis?.checks.filter(({ outcome }) => outcome === 'error')).toEqual([]);
  });
});
