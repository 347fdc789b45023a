import {
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  hasOption,
  ScalarType,
} from '@bufbuild/protobuf';
import { field as fieldOption } from '@bufbuild/protovalidate/gen/buf/validate/validate_pb.js';
import { FieldBehavior, field_behavior } from '../../gen/google/api/field_behavior_pb.ts';

const conversation = {
  messages: [{ role: 'user', content: 'What should I check before I list my bicycle for sale?' }],
};

const brandRules = {
  packId: 'brand-rules',
  displayName: 'Brand rules',
  languages: ['en'],
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
  allow: [{ phrase: 'Ivory Lane', reason: 'A range of ours.' }],
};

/** Bodies that a reader can send as they are, by method. */
const examples: Record<string, unknown> = {
  'ChatService.Chat': { provider: 'auto', routing: { mode: 'economy' }, ...conversation },
  'ChatService.StreamChat': { provider: 'auto', routing: { mode: 'economy' }, ...conversation },
  'ChatService.EstimateChat': { provider: 'auto', routing: { mode: 'economy' }, ...conversation },
  'ChatService.CountChatTokens': conversation,
  'EmbeddingService.Embed': { inputs: ['A red bicycle', 'A blue one'], encoding: 'base64' },
  'RerankService.Rerank': {
    query: 'a bicycle for a child',
    documents: ['City bike, 7 gears', 'Bicycle for children from 6 years on', 'Trailer for two children'],
    topN: 2,
  },
  'AccountService.CreateAccount': { displayName: 'Example Company', reason: 'contract 2026-17' },
  'AccountService.CreditAccount': { amountUsd: '50.00', reference: 'bank transfer 2026-0001', reason: 'invoice 318' },
  'AccountService.UpdateAccount': { displayName: 'Example Company Ltd', reason: 'they asked for it' },
  'AccountService.SuspendAccount': { reason: 'the card was reported stolen' },
  'AccountService.ResumeAccount': { reason: 'the owner called, the keys are new' },
  'OperationsService.RunAudit': { reason: 'the end of the month' },
  'KeyService.CreateKey': { displayName: 'production', purpose: 'Advice to sellers on our marketplace' },
  'ProviderKeyService.CreateProviderKey': { provider: 'openai', secret: 'sk-proj-example', displayName: 'our project' },
  'WebhookService.RotateEndpointSecret': { overlapSeconds: 86_400 },
  'WalletService.CreateTopUp': { amountUsd: '5.00' },
  'WalletService.EraseMetadata': { metadata: { key: 'customer', value: 'user-4711' } },
  'WalletService.CreateApplicationTopUp': { amountUsd: '5.00' },
  'WorkflowService.CheckProfile': {
    template: 'person',
    values: { givenName: 'Ada', familyName: 'Lang', email: 'ada@example', country: 'AT' },
    focusedField: 'email',
  },
  'WorkflowService.ScoreListing': {
    listing: {
      title: 'City bike, 7 gears',
      description: 'Serviced in spring. Two small scratches on the frame.',
      price: 180,
      currency: 'EUR',
      location: 'Graz',
      attributes: { brand: 'Puch', condition: 'used' },
    },
  },
  'WorkflowService.CheckRisk': { text: 'Guaranteed returns. Pay a deposit by wire today.' },
  'WorkflowService.DraftDocument': {
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
  },
  'WorkflowService.ReviseDraft': {
    body: 'Dear Ms Adeyemi,\n\nyour order 48213 will reach you on 3 December 2026.\n\nHarrow Tools, customer care',
    baseVersion: 1,
  },
  'WorkflowService.ApproveDraft': { reviewer: 'Eva Lang', note: 'Read and compared with the order.' },
  'WorkflowService.RejectDraft': { reviewer: 'Eva Lang', note: 'The new date is not confirmed yet.' },
  'WorkflowService.WriteDecisionMemo': {
    question: 'Which supplier should we choose?',
    options: [
      { name: 'North', attributes: { price: 1200, days: 14 } },
      { name: 'South', attributes: { price: 1350, days: 5 } },
    ],
    criteria: [
      { name: 'price', weight: 2, direction: 'lower' },
      { name: 'days', weight: 1, direction: 'lower' },
    ],
  },
  'WorkflowService.ScoreBusinessReadiness': {
    profile: { name: 'Example Company', industry: 'retail', stage: 'startup', employees: 4 },
    metrics: {
      cashRunwayMonths: 9,
      grossMarginPercent: 42,
      debtToEquity: 0.6,
      customerCount: 35,
      retentionPercent: 88,
    },
    answers: {
      booksUpToDate: 'monthly',
      registered: 'yes',
      taxesPaid: 'yes',
      licencesHeld: 'not_needed',
      backups: 'daily',
    },
  },
  'WorkflowService.CreateWorkflowDefinition': {
    definition: {
      client: 'acme',
      workflow: 'loan-check',
      inputSchema: {
        type: 'object',
        required: ['income', 'rate'],
        properties: { income: { type: 'number' }, rate: { type: 'number' } },
      },
      outputSchema: { type: 'object', required: ['affordable'], properties: { affordable: { type: 'boolean' } } },
      checks: [{ id: 'has-income', fact: 'income', pass: 'input.income > 0.0' }],
      fields: [{ name: 'affordable', expression: 'checks["has-income"] && input.rate / input.income < 0.4' }],
      samples: [{ name: 'plain', input: { income: 3000, rate: 900 }, expect: { affordable: true } }],
    },
  },
  'WorkflowService.CreateRiskPack': { pack: brandRules },
  'WorkflowService.UpdateRiskPack': { pack: { ...brandRules, displayName: 'Rules of our brand' }, version: 1 },
  'WorkflowService.RunWorkflow': { income: 3000, rate: 900 },
  'WorkflowService.BatchRunWorkflows': {
    items: [
      { key: 'listing-4711', risk: { text: 'Guaranteed returns. Pay a deposit by wire today.' } },
      { key: 'listing-4712', readiness: { listing: { title: 'City bike, 7 gears', price: 180, currency: 'EUR' } } },
    ],
  },
  'WorkflowService.EstimateWorkflow': { risk: { text: 'Guaranteed returns. Pay a deposit by wire today.' } },
  'OutcomeService.ReportOutcome': { subjectId: 'listing-4711', outcome: 'sold', valueUsd: '180.00' },
  'OutcomeService.BatchReportOutcomes': {
    outcomes: [
      { subjectId: 'listing-4711', outcome: 'sold', valueUsd: '180.00' },
      { subjectId: 'listing-4712', outcome: 'fraud', family: 'risk', occurredAt: '2026-01-31T12:00:00Z' },
    ],
  },
  'PulseService.RecordEvents': {
    events: [
      {
        id: 'evt-0001',
        journey: 'listing-publish',
        step: 'photos',
        kind: 'entered',
        sessionId: 'session-1',
        occurredAt: '2026-01-31T12:00:00Z',
        properties: { platform: 'android', version: '4.2.0' },
      },
    ],
  },
  'PulseService.DeclareProperties': { properties: ['platform', 'version', 'country', 'experiment'] },
  'PulseService.DeclareJourney': {
    steps: [{ step: 'cart' }, { step: 'coupon', optional: true }, { step: 'payment' }],
    conversionWindowSeconds: 86_400,
    sessionTimeoutSeconds: 3_600,
  },
  'PulseService.SetAlert': { above: 0.05, clearBelow: 0.03, windowHours: 1, leastSessions: 200 },
  'PulseService.ErasePerson': { userId: 'user-4711' },
};

/**
 * An example of a method's body: a handwritten one, or else the minimum that the method needs beside what the path sets (by proto
 * name). Undefined if that is nothing.
 */
export function exampleOf(method: DescMethod, inPath: ReadonlySet<string> = new Set()): unknown {
  const written = examples[`${method.parent.name}.${method.name}`];
  if (written !== undefined) return written;
  const least = leastMessage(method.input, new Set(), inPath);
  return Object.keys(least).length > 0 ? least : undefined;
}

function leastMessage(
  desc: DescMessage,
  within: Set<DescMessage>,
  without: ReadonlySet<string> = new Set(),
): Record<string, unknown> {
  if (within.has(desc)) return {};
  within.add(desc);
  const fields = desc.fields.filter((field) => isRequired(field) && !without.has(field.name));
  const entries = fields.map((field) => [field.jsonName, leastValue(field, within)]);
  within.delete(desc);
  return Object.fromEntries(entries);
}

function isRequired(field: DescField): boolean {
  return hasOption(field, field_behavior) && getOption(field, field_behavior).includes(FieldBehavior.REQUIRED);
}

function leastValue(field: DescField, within: Set<DescMessage>): unknown {
  if (field.fieldKind === 'list') return [single(field, within)];
  if (field.fieldKind === 'map') return {};
  return single(field, within);
}

function single(field: DescField, within: Set<DescMessage>): unknown {
  if (field.enum) return field.enum.values.at(1)?.name ?? field.enum.values[0]?.name;
  switch (field.message?.typeName) {
    case undefined:
      return field.scalar === ScalarType.STRING ? text(field) : number(field.scalar);
    case 'google.protobuf.Timestamp':
      return '2026-01-31T12:00:00Z';
    case 'google.protobuf.Duration':
      return '60s';
    default:
      return field.message ? leastMessage(field.message, within) : undefined;
  }
}

function number(type: ScalarType | undefined): unknown {
  if (type === ScalarType.BOOL) return true;
  return type === ScalarType.BYTES ? 'aGVsbG8=' : 1;
}

function text(field: DescField): string {
  const rules = hasOption(field, fieldOption) ? getOption(field, fieldOption) : undefined;
  const own = rules?.type.case === 'repeated' ? rules.type.value.items?.type : rules?.type;
  if (field.jsonName.endsWith('Usd')) return '5.00';
  if (own?.case !== 'string') return field.jsonName;
  const allowed = own.value.in.find((each) => each !== '');
  if (allowed !== undefined) return allowed;
  return own.value.prefix ? `${own.value.prefix}example.com/` : field.jsonName.toLowerCase();
}
