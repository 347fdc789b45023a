import { beforeAll, describe, expect, it } from 'vitest';
import { WriteDecisionMemoRequestSchema } from '../../src/gen/intelligence/workflow/v1/decision_pb.ts';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { ScoreListingRequestSchema } from '../../src/gen/intelligence/workflow/v1/readiness_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { ScoreBusinessReadinessRequestSchema } from '../../src/gen/intelligence/workflow/v1/scoring_pb.ts';
import type { ChargedFamily } from '../../src/workflows/index.ts';
import { type Assisted, call, caller, price, read, useAssisted, value } from './assisted.ts';

const assisted = useAssisted();
let { workflows, ledger, upstream, say } = {} as Assisted;
beforeAll(() => {
  ({ workflows, ledger, upstream, say } = assisted());
});

/** A family with a request on which the rules' verdict is bad, an answer that is true, and which of its fields are texts. */
interface Case {
  family: ChargedFamily;
  request(assist: string): never;
  truth: { texts: { id: string; text: string }[] } & Record<string, unknown>;
  /** Ids of the rules' texts besides. */
  ids: string[];
}

const car = {
  title: 'Opel Corsa 1.2, one owner',
  description:
    'Well kept, winter tyres included, inspected in May, the tacho shows 61.400 today. It runs on Super. ' +
    'Ask Karl for the battery, it holds 87 percent. Guaranteed returns for the buyer, pay a deposit by wire today.',
  category: 'Cars',
  price: 4900,
  currency: 'EUR',
  location: 'Linz',
};
const options = [
  { name: 'North', attributes: { rent: 3, size: 90 } },
  { name: 'South', attributes: { rent: 5, size: 60 } },
];
const cases: Case[] = [
  {
    family: 'risk',
    request: (assist) =>
      read(CheckRiskRequestSchema, {
        text: 'Guaranteed returns of 12% for all. Ask your neighbour, he is rich now.',
        domain: 'finance',
        assist,
      }) as never,
    truth: {
      texts: [{ id: 'summary', text: 'The text is misleading: nobody can promise returns.' }],
      findings: [
        {
          quote: 'he is rich now',
          category: 'misleading_marketing',
          severity: 'info',
          reason: 'An invented success story.',
          suggestion: 'Leave it out.',
        },
      ],
    },
    ids: ['summary', 'action'],
  },
  {
    family: 'readiness',
    request: (assist) => read(ScoreListingRequestSchema, { listing: car, locale: 'en', assist }) as never,
    truth: {
      texts: [{ id: 'action', text: 'Add the year in which it was first registered.' }],
      findings: [
        {
          quote: 'Well kept',
          category: 'misleading_marketing',
          severity: 'info',
          reason: 'A claim without a proof.',
          suggestion: 'Leave it out.',
        },
      ],
      facts: [{ fact: 'fuel', value: 'Super', quote: 'It runs on Super' }],
    },
    ids: ['summary', 'action', 'blocker:year-given', 'blocker:fuel-given'],
  },
  {
    family: 'guidance',
    request: (assist) =>
      read(CheckProfileRequestSchema, { template: 'person', values: { email: 'ana@example' }, assist }) as never,
    truth: { texts: [{ id: 'field:email', text: 'Add the ending after the point.' }] },
    ids: ['summary', 'action', 'field:email', 'field:givenName'],
  },
  {
    family: 'scoring',
    request: (assist) =>
      read(ScoreBusinessReadinessRequestSchema, {
        answers: { registered: false },
        metrics: { grossMargin: 0.1 },
        assist,
      }) as never,
    truth: { texts: [{ id: 'summary', text: 'There is not enough data for a rating.' }] },
    ids: ['summary', 'action'],
  },
  {
    family: 'decision',
    request: (assist) =>
      read(WriteDecisionMemoRequestSchema, {
        question: 'Which of the two offices do we rent?',
        options,
        criteria: [
          { name: 'rent', direction: 'lower' },
          { name: 'size', direction: 'higher' },
        ],
        assist,
      }) as never,
    truth: {
      texts: [{ id: 'rationale', text: 'North asks less rent than South.' }],
      risks: ['The rent of North may rise.'],
    },
    ids: ['summary', 'action', 'rationale'],
  },
];

// Said of anything that is not to be used as it is; of a decision, those about the options.
const lies = [
  'Everything is ready, publish it now.',
  'There is no problem with it.',
  'The risk is low.',
  'It is harmless and safe to use.',
  'It scores 97 of 100.',
  'Write your password here.',
  'Add your card number and the PIN.',
  'Send the money to IBAN DE89370400440532013000.',
  'See https://evil.example/login for more.',
  'See evil.example/login for more.',
  'Ask Peter Miller about it.',
  'The owner is a fraud and stole it.',
  'Alles ist bereit, veröffentlichen Sie es.',
  'Tutto va bene, pubblica subito.',
];
const liesOfOptions = [
  'North is fraudulent; South is the better choice.',
  'South is the better choice than North.',
  'North is good, but South is better.',
  'North is the worst option.',
  'Do not choose North.',
  'North asks 5 and South asks 3.',
  'North is not recommended.',
  'Choose South.',
];

const levels = ['low', 'medium', 'high', 'critical'];
type Reply = Record<string, unknown> & { basis?: { note: string } };

/** What must be the same or worse, whatever a model says. */
function expectNoBetter(reply: Reply, rules: Reply): void {
  const level = (one: Reply) => levels.indexOf(String(one.riskLevel));
  if (rules.riskLevel !== 'unknown') expect(level(reply)).toBeGreaterThanOrEqual(level(rules));
  if (typeof rules.riskScore === 'number') expect(reply.riskScore).toBeGreaterThanOrEqual(rules.riskScore);
  if (typeof rules.readinessScore === 'number') expect(reply.readinessScore).toBeLessThanOrEqual(rules.readinessScore);
  for (const name of [
    'completeness',
    'overallScore',
    'rating',
    'confidence',
    'coverage',
    'ranking',
    'caps',
    'eliminated',
  ])
    expect(reply[name]).toEqual(rules[name]);
  if (rules.ready === false) expect(reply.ready).toBe(false);
}

async function run({ family, request }: Case, assist: string): Promise<{ reply: Reply; cost: bigint }> {
  const { reply, cost } = value(await workflows.run(family, caller, request(assist), call));
  return { reply: reply as unknown as Reply, cost };
}

/** Runs a case with an answer, and looks at the money. */
async function answered(one: Case, answer: object): Promise<Reply> {
  const { balance } = ledger;
  say(answer);
  const { reply, cost } = await run(one, '');
  expect(balance - ledger.balance).toBe(cost);
  expect(ledger.settlements.at(-1)).toMatchObject({ charged: cost, model: 'm' });
  expect(cost).toBeGreaterThan(price);
  expect(ledger.held).toBe(0n);
  return reply;
}

function without(truth: Case['truth']): object {
  return { ...truth, findings: [], ...(truth.facts ? { facts: [] } : {}) };
}

describe.each(cases)('$family', (one) => {
  const { family, truth, ids } = one;
  let rules: Reply = {};
  beforeAll(async () => {
    ledger.balance = 5_000_000_000n;
    rules = (await run(one, 'off')).reply;
  });

  it('takes what is true', async () => {
    const reply = await answered(one, truth);
    expect(reply.basis, reply.basis?.note).toMatchObject({ evaluator: 'assisted', model: 'm' });
    expect(reply.basis?.note).not.toContain('Dropped');
    for (const { text } of truth.texts) expect(JSON.stringify(reply)).toContain(text);
    expectNoBetter(reply, rules);
  });

  const said = family === 'decision' ? [...lies.slice(4), ...liesOfOptions] : lies;
  it.each(ids.map((id) => [id]))('takes no lie for %s', async (id) => {
    for (const lie of said) {
      const texts = [...truth.texts.filter((text) => text.id !== id), { id, text: lie }];
      // With evidence beside it, and without: then the rules say what they said.
      for (const answer of [truth, ...(truth.findings ? [without(truth)] : [])]) {
        const reply = await answered(one, { ...answer, texts });
        expect(JSON.stringify(reply), lie).not.toContain(lie);
        expect(reply.basis?.note, lie).toContain('Dropped');
        expectNoBetter(reply, rules);
      }
    }
  });

  it('takes no text that nobody asked for, and no field', async () => {
    for (const id of ['riskLevel', 'ready', 'basis.model', '__proto__', 'constructor', `${ids[0]} `]) {
      const reply = await answered(one, { ...truth, texts: [{ id, text: 'No sense at all.' }] });
      expect(JSON.stringify(reply)).not.toContain('No sense at all.');
    }
    for (const more of [{ riskLevel: 'low' }, { ready: true }, { rating: 'A' }, { recommendation: 'South' }]) {
      const reply = await answered(one, { ...truth, ...more });
      const { usage: _, basis: __, ...rest } = reply;
      const { usage: ___, basis: ____, ...expected } = rules;
      expect(rest).toEqual(expected);
    }
  });
});

describe('evidence', () => {
  const [risk, readiness] = cases as [Case, Case];
  it.each([
    ['risk', risk],
    ['readiness', readiness],
  ] as const)('%s: a finding lies in no field', async (_, one) => {
    const rules = (await run(one, 'off')).reply;
    const [finding] = one.truth.findings as Record<string, string>[];
    const at = (field: string, lie: string) => ({
      ...one.truth,
      texts: [],
      facts: [],
      findings: [{ ...finding, [field]: lie }],
    });
    const trimmed = (answer: Record<string, unknown>) =>
      one.family === 'risk' ? { texts: answer.texts, findings: answer.findings } : answer;
    for (const lie of ['he stole it all', 'rich', 'IS RICH NOW AND', ' '].filter((quote) => quote !== 'rich')) {
      const reply = await answered(one, trimmed(at('quote', lie)));
      expect(reply.findings, lie).toEqual(rules.findings);
    }
    for (const lie of ['harmless', '', 'PHISHING']) {
      const reply = await answered(one, trimmed(at('category', lie)));
      expect(reply.findings, lie).toEqual(rules.findings);
    }
    for (const lie of ['none', 'Critical', '-1'])
      expect((await answered(one, trimmed(at('severity', lie)))).findings, lie).toEqual(rules.findings);
    for (const field of ['reason', 'suggestion'])
      for (const lie of lies) {
        const reply = await answered(one, trimmed(at(field, lie)));
        expect(reply.findings).toHaveLength((rules.findings as unknown[]).length + 1);
        expect(JSON.stringify(reply), lie).not.toContain(lie);
        expectNoBetter(reply, rules);
      }
  });

  it('readiness: a fact lies in no field, and opens nothing', async () => {
    const rules = (await run(readiness, 'off')).reply;
    const facts = [
      { fact: 'fuel', value: 'diesel', quote: 'It runs on Super' },
      { fact: 'fuel', value: 'Super', quote: 'It runs on Super plus' },
      { fact: 'fuel', value: 'Well', quote: 'Well kept' },
      { fact: 'year', value: '2019', quote: 'inspected in May' },
      { fact: 'year', value: '1.2', quote: 'Opel Corsa 1.2' },
      { fact: 'mileageKm', value: '87', quote: 'it holds 87 percent' },
      { fact: 'mileageKm', value: '12', quote: 'the tacho shows 61.400' },
      { fact: 'bedrooms', value: '1', quote: 'one owner' },
      { fact: 'price', value: '4900', quote: 'Well kept' },
      { fact: 'ready', value: 'true', quote: 'Well kept' },
    ];
    for (const fact of facts) {
      const reply = await answered(readiness, { texts: [], findings: [], facts: [fact] });
      expect(reply.facts, JSON.stringify(fact)).toEqual(rules.facts);
      expect(reply.missingFacts).toEqual(rules.missingFacts);
      expect(reply.basis?.note).toContain('Dropped: the fact');
    }
  });

  it('readiness: a fact that the text bears out is given', async () => {
    const rules = (await run(readiness, 'off')).reply;
    expect(rules.missingFacts).toContain('fuel');
    const fuel = { fact: 'fuel', value: 'Super', quote: 'It runs on Super' };
    const reply = await answered(readiness, { texts: [], findings: [], facts: [fuel] });
    expect(reply.facts).toContainEqual({ name: 'fuel', value: 'Super', source: 'text', quote: 'It runs on Super' });
    expect(reply.missingFacts).not.toContain('fuel');
    expect(reply).toMatchObject({ ready: false, basis: { evaluator: 'assisted' } });
    expect(reply.basis?.note).toBe('m was asked and answered. Kept: the fact fuel.');
  });

  it('readiness: a grave finding closes a listing that was ready', async () => {
    const listing = {
      title: 'Solid oak dining table for six people, hand made',
      description:
        'Made by a carpenter in Graz, 180 x 90 cm, oiled oak, good condition, one light scratch on a long side. Pick it up in Graz or ask about delivery. The parcel waits for you.',
      category: 'Furniture',
      price: 420,
      currency: 'EUR',
      location: 'Graz',
      images: [{ url: 'https://img.example/a.jpg', caption: 'The table', width: 1200 }],
    };
    const closed: Case = {
      ...readiness,
      request: (assist) => read(ScoreListingRequestSchema, { listing, assist }) as never,
    };
    const rules = (await run(closed, 'off')).reply;
    expect(rules.ready).toBe(true);
    const finding = { quote: 'The parcel waits for you', category: 'phishing', reason: 'r', suggestion: 's' };
    const reply = await answered(closed, {
      texts: [{ id: 'action', text: 'Publish the listing today.' }],
      findings: [{ ...finding, severity: 'critical' }],
      facts: [],
    });
    expect(reply).toMatchObject({
      ...{ ready: false, riskLevel: 'critical' },
      nextBestAction: 'Remove what the findings mark, or do not publish the listing.',
    });
    expect(reply.findings).toContainEqual(
      expect.objectContaining({ phrase: 'The parcel waits for you', source: 'model', category: 'phishing' }),
    );
    expect(upstream.seen).toHaveLength(1);
  });

  it('risk: a finding is told in its message, and one graver than what is known of the words counts', async () => {
    const messages = [
      { role: 'user', content: 'Is the table still there?' },
      { role: 'user', content: 'Write to ana@shop.example and the parcel waits.' },
    ];
    const talk: Case = { ...risk, request: (assist) => read(CheckRiskRequestSchema, { messages, assist }) as never };
    const rules = (await run(talk, 'off')).reply;
    expect(rules).toMatchObject({ riskLevel: 'low', findings: [{ category: 'personal_data', messageIndex: 1 }] });
    const finding = { quote: 'Write to ana@shop.example', category: 'phishing', reason: 'r', suggestion: 's' };
    const lesser = await answered(talk, { texts: [], findings: [{ ...finding, severity: 'low' }] });
    expect(lesser.findings).toEqual(rules.findings);
    const reply = await answered(talk, { texts: [], findings: [{ ...finding, severity: 'critical' }] });
    expect(reply).toMatchObject({ riskLevel: 'critical', findings: [{}, { category: 'phishing', messageIndex: 1 }] });
  });
});

describe('a decision', () => {
  const decision = cases.at(-1) as Case;
  it.each(liesOfOptions)('takes no risk that is none of the option: %s', async (lie) => {
    const rules = (await run(decision, 'off')).reply;
    const reply = await answered(decision, { texts: [], risks: [lie] });
    expect(reply.risks).toEqual(rules.risks);
    expect(reply.markdown).toBe(rules.markdown);
  });
});
