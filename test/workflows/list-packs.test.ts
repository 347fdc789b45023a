import { create, fromJson, type JsonValue } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ListPacksResponseSchema } from '../../src/gen/intelligence/workflow/v1/pack_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { guidanceFamily } from '../../src/workflows/families/guidance.ts';
import { listingPolicies, readinessFamily } from '../../src/workflows/families/readiness.ts';
import { scoringFamily } from '../../src/workflows/families/scoring.ts';
import { listPacks } from '../../src/workflows/list-packs.ts';
import { riskCategories } from '../../src/workflows/packs/risk-categories.ts';
import { ask } from './ask.ts';

const packs = listPacks('');

describe('the packs that are listed', () => {
  test('are of the family that is asked for', () => {
    const lengths = (family: string) => Object.values(listPacks(family)).map((list) => list.length > 0);
    expect(lengths('')).toEqual([true, true, true, true, true]);
    expect(lengths('readiness')).toEqual([true, false, false, false, false]);
    expect(lengths('guidance')).toEqual([false, true, false, false, false]);
    expect(lengths('scoring')).toEqual([false, false, true, false, false]);
    expect(lengths('risk')).toEqual([false, false, false, true, false]);
    expect(lengths('draft')).toEqual([false, false, false, false, true]);
  });

  test('fit the contract, and are far below what a reply may be', () => {
    const message = create(ListPacksResponseSchema, packs as never);
    expect(message.listings.length).toBe(listingPolicies.length);
    expect(Buffer.byteLength(JSON.stringify(packs))).toBeLessThan(512 * 1024);
    for (const list of Object.values(packs))
      for (const { id, version } of list) {
        expect(id).not.toBe('');
        expect(version).toBeGreaterThan(0);
      }
  });

  test('name facts of listings, each of which is read from its attributes', () => {
    for (const { id, facts } of packs.listings)
      for (const { name, type, attributes } of facts) {
        if (attributes.length === 0) continue;
        const [attribute = ''] = attributes;
        const listing = { title: 'x', attributes: { [attribute]: type === 'number' ? 12 : 'Value 12' } };
        const { unusedFields } = ask(readinessFamily, ScoreListingRequestSchema, { listing, policy: id });
        expect(unusedFields, `${id} ${name}`).toEqual([]);
      }
  });

  test('say what blocks: a required fact is one that the critical checks ask for', () => {
    const vehicles = packs.listings.find(({ id }) => id === 'vehicles');
    const fact = (name: string) => vehicles?.facts.find((one) => one.name === name);
    expect(fact('mileageKm')).toMatchObject({ type: 'number', unit: 'km', need: 'required' });
    expect(fact('transmission')).toMatchObject({ type: 'choice', need: 'important', choices: ['automatic', 'manual'] });
    expect(fact('powerKw')).toMatchObject({ unit: 'kW', need: '' });
    for (const { id, facts, checks } of packs.listings)
      for (const { name, need } of facts) {
        const asking = checks.filter((check) => check.facts.includes(name));
        expect(asking.length > 0, `${id} ${name}`).toBe(need !== '');
      }
  });

  test('name fields of forms and indicators of scorecards that are looked at', () => {
    for (const { id, fields } of packs.forms) {
      const values = Object.fromEntries(fields.map(({ name }) => [name, 'x']));
      expect(ask(guidanceFamily, CheckProfileRequestSchema, { template: id, values }).unusedFields).toEqual([]);
    }
    for (const { id, dimensions, gates } of packs.scorecards) {
      const indicators = dimensions.flatMap((dimension) => dimension.indicators);
      const metrics = Object.fromEntries(
        indicators.filter(({ curve }) => curve.length > 0).map(({ name }) => [name, 1]),
      );
      const answers = Object.fromEntries(
        indicators
          .filter(({ curve }) => curve.length === 0)
          .map(({ name, choices }) => [name, Object.keys(choices)[0]]),
      );
      const request = { scorecard: id, metrics, answers };
      const { unusedFields } = ask(scoringFamily, ScoreBusinessReadinessRequestSchema, request);
      expect(unusedFields).toEqual([]);
      const names = new Set(indicators.map(({ name }) => name));
      expect(gates.filter(({ indicator }) => !names.has(indicator))).toEqual([]);
    }
  });

  test('name categories of the closed list, and the language of each pack of risk', () => {
    const found = new Set(packs.risks.flatMap(({ categories }) => categories));
    expect([...found].filter((category) => !(riskCategories as readonly string[]).includes(category))).toEqual([]);
    expect(packs.risks.filter(({ id }) => id.startsWith('risk/signs/')).map(({ languages }) => languages)).toEqual([
      ['en'],
      ['de'],
      ['es'],
      ['fr'],
      ['pt'],
      ['ru'],
      ['tr'],
      ['ar'],
      ['ka'],
      ['zh'],
    ]);
  });

  test('name fields of drafts by every word that a fact may have', () => {
    expect(packs.draftKinds).toHaveLength(16);
    for (const { id, fields, languages } of packs.draftKinds)
      for (const { name, labels, required } of fields) {
        expect(Object.keys(labels)).toEqual(languages);
        for (const locale of languages) {
          const facts = [{ name: labels[locale], value: 'Value 12' }];
          const { draft, unusedFields } = ask(draftFamily, DraftDocumentRequestSchema, {
            purpose: 'abc',
            kind: id,
            locale,
            facts,
          });
          expect(unusedFields, `${id} ${name} ${locale}`).toEqual([]);
          expect(draft?.body).toContain('Value 12');
          const without = ask(draftFamily, DraftDocumentRequestSchema, { purpose: 'abc', kind: id, locale });
          expect(without.draft?.placeholders.includes(labels[locale] ?? '')).toBe(required);
        }
      }
  });

  test('are JSON', () => {
    expect(() => fromJson(ListPacksResponseSchema, JSON.parse(JSON.stringify(packs)) as JsonValue)).not.toThrow();
  });
});
