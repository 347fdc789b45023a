import type { RpcName } from '../../api.ts';

/** The shipped families: the method that runs each, and a request that can be sent as it is. */
export const families = {
  risk: {
    rpc: 'WorkflowService.CheckRisk',
    example: {
      text: 'Guaranteed returns of 20% a month. Pay a deposit by wire today and write to me on another app.',
      domain: 'marketplace',
      requiredFacts: [{ name: 'return policy', action: 'Say within how many days it can be given back.' }],
      assist: 'off',
    },
  },
  readiness: {
    rpc: 'WorkflowService.ScoreListing',
    example: {
      listing: {
        title: 'City bike, 7 gears',
        description: 'Serviced in spring. Two small scratches on the frame. Payment by gift card only.',
        price: 180,
        currency: 'EUR',
        location: 'Graz',
        attributes: { brand: 'Puch', condition: 'used' },
      },
      assist: 'off',
    },
  },
  guidance: {
    rpc: 'WorkflowService.CheckProfile',
    example: {
      template: 'person',
      values: { givenName: 'Ada', familyName: 'Lang', email: 'ada@example', country: 'AT' },
      focusedField: 'email',
      assist: 'off',
    },
  },
  draft: {
    rpc: 'WorkflowService.DraftDocument',
    example: {
      purpose: 'Apologise to the customer because the order comes late',
      kind: 'apology_for_delay',
      locale: 'en-GB',
      tone: 'formal',
      facts: [
        { name: 'recipient', value: 'Ms Adeyemi' },
        { name: 'order', value: '48213' },
        { name: 'newDate', value: '2026-12-03', source: 'carrier' },
        { name: 'sender', value: 'Harrow Tools, customer care' },
      ],
      assist: 'off',
    },
  },
  decision: {
    rpc: 'WorkflowService.WriteDecisionMemo',
    example: {
      question: 'Which supplier should we choose?',
      options: [
        { name: 'North', attributes: { price: 1200, days: 14, support: 3 } },
        { name: 'South', attributes: { price: 1350, days: 5, support: 4 } },
        { name: 'East', attributes: { price: 990, days: 30 } },
      ],
      criteria: [
        { name: 'price', weight: 1.5, direction: 'lower' },
        { name: 'days', weight: 1, direction: 'lower' },
        { name: 'support', weight: 1 },
      ],
      constraints: [{ attribute: 'days', operator: '<=', value: 21, reason: 'The season begins in three weeks.' }],
      assist: 'off',
    },
  },
  scoring: {
    rpc: 'WorkflowService.ScoreBusinessReadiness',
    example: {
      profile: { name: 'Example Company', industry: 'retail', stage: 'startup', employees: 4 },
      metrics: {
        cashRunwayMonths: 9,
        grossMarginPercent: 42,
        debtToEquity: 0.6,
        customerCount: 35,
        retentionPercent: 88,
      },
      answers: {
        ...{ booksUpToDate: 'monthly', registered: 'yes', taxesPaid: 'yes', licencesHeld: 'not_needed' },
        backups: 'daily',
      },
      assist: 'off',
    },
  },
} as const satisfies Record<string, { rpc: RpcName; example: object }>;

export type Family = keyof typeof families;
/** What is run: a shipped family, or a workflow of the account's own. */
export type Target = { family: Family } | { client: string; workflow: string };

export const familyNames = Object.keys(families) as Family[];

export function isFamily(name: string): name is Family {
  return Object.hasOwn(families, name);
}

/** A definition that can be created as it is, and run with its own sample. */
export const definitionExample = {
  client: 'acme',
  workflow: 'loan-check',
  displayName: 'Can the rate be paid?',
  inputSchema: {
    type: 'object',
    required: ['income', 'rate'],
    properties: { income: { type: 'number' }, rate: { type: 'number' } },
  },
  outputSchema: { type: 'object', required: ['affordable'], properties: { affordable: { type: 'boolean' } } },
  checks: [{ id: 'has-income', fact: 'income', pass: 'input.income > 0.0', message: 'There is no income.' }],
  fields: [{ name: 'affordable', expression: 'checks["has-income"] && input.rate / input.income < 0.4' }],
  samples: [{ name: 'plain', input: { income: 3000, rate: 900 }, expect: { affordable: true } }],
};

/** A risk pack that can be created as it is. */
export const packExample = {
  packId: 'brand-rules',
  displayName: 'Brand rules',
  entries: [
    {
      id: 'grey-market',
      phrases: ['grey market', 'parallel import*'],
      category: 'grey_market',
      severity: 'high',
      reason: 'Goods that we did not sell here have no warranty.',
      suggestion: 'Say where the goods were bought.',
    },
  ],
  allow: [{ phrase: 'Grey Market Street', reason: 'Our address.' }],
  enabled: true,
};
