import { describe, expect, it } from 'vitest';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { draftFamily } from '../../src/workflows/families/draft.ts';
import { draftTemplates } from '../../src/workflows/packs/draft-templates.ts';
import { ask, prepare, refusedFields } from './ask.ts';

const draft = (json: unknown) => ask(draftFamily, DraftDocumentRequestSchema, json);

const request = {
  purpose: 'your order of 3 May will arrive later than promised',
  audience: 'Ms Kovač',
  tone: 'formal',
  facts: [
    { name: 'order number', value: '4711', source: 'shop system' },
    { name: 'new delivery date', value: '14 May', source: 'carrier 📦' },
    { name: 'compensation' },
  ],
  mustInclude: ['new delivery date', 'contact person', 'We apologise for the delay.'],
};

describe('a draft', () => {
  it('states the facts that are given and holds a place for those that are not', () => {
    const { draft: made, missingFacts, nextBestAction } = draft(request);
    expect(made?.state).toBe('pending_review');
    expect(made?.body).toContain('Dear Ms Kovač,');
    expect(made?.body).toContain('- New delivery date: 14 May');
    expect(made?.body).toContain('We apologise for the delay.');
    expect(made?.body).toContain('- Compensation: [[compensation]]');
    expect(made?.body).toContain('- Contact person: [[contact person]]');
    expect(missingFacts).toEqual(['compensation', 'contact person']);
    expect(made?.placeholders).toEqual(['compensation', 'contact person', 'sender']);
    expect(nextBestAction).toBe('State what is not given: compensation, contact person.');
  });

  it('cites each fact where it stands, in code points', () => {
    const { draft: made } = draft({ ...request, audience: '😀' });
    const points = [...(made?.body ?? '')];
    expect(made?.citations.map(({ start, end, fact }) => [points.slice(start, end).join(''), fact])).toEqual([
      ['4711', 'order number'],
      ['14 May', 'new delivery date'],
    ]);
  });

  it('states no number that was not given', () => {
    for (const template of draftTemplates.templates.keys())
      for (const tone of draftTemplates.tones.keys()) {
        const { draft: made } = draft({ ...request, template, tone, length: 'long' });
        const numbers = `${made?.title} ${made?.body}`.match(/\d+/g) ?? [];
        expect(numbers.filter((number) => !['3', '4711', '14'].includes(number))).toEqual([]);
      }
  });

  it('finds phrases that must not be in it, and risky ones of its domain', () => {
    const reply = draft({
      purpose: 'our new fund offers guaranteed returns',
      facts: [{ name: 'launch', value: 'next spring, so hurry' }],
      mustAvoid: ['next spring'],
      domain: 'finance',
    });
    expect(reply.draft?.riskLevel).toBe('critical');
    expect(reply.draft?.findings.map(({ category }) => category)).toEqual([
      'misleading_finance',
      'must_avoid',
      'misleading_marketing',
    ]);
    expect(reply.basis?.checks.map(({ id, outcome }) => [id, outcome])).toEqual([
      ['facts-given', 'passed'],
      ['text-not-risky', 'failed'],
      ['avoided-phrases', 'failed'],
    ]);
  });

  it('keeps replacement marks and brackets of the caller as they are', () => {
    const { draft: made } = draft({
      purpose: 'prices of $& and $1',
      audience: '$$',
      facts: [
        { name: 'a[b]c', value: '' },
        { name: 'sender', value: 'Ana' },
      ],
    });
    expect(made?.body).toContain('prices of $& and $1.');
    expect(made?.body).toContain('To $$,');
    expect(made?.body.endsWith('Regards\nAna')).toBe(true);
  });

  it('refuses an unknown form and a fact that is there twice', () => {
    const refused = (json: unknown) => refusedFields(prepare(draftFamily, DraftDocumentRequestSchema, json));
    expect(refused({ ...request, template: 'sonnet' })).toEqual(['template']);
    expect(
      refused({
        ...request,
        facts: [
          { name: 'a', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
    ).toEqual(['facts[1].name']);
  });
});
