import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { formatUsd } from '../../src/base/money.ts';
import { CheckProfileRequestSchema } from '../../src/gen/intelligence/workflow/v1/guidance_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { completion } from '../support/upstream.ts';
import { type Assisted, call, caller, price, read, useAssisted, value } from './assisted.ts';

const assisted = useAssisted();
let { workflows, ledger, upstream, say } = {} as Assisted;
beforeAll(() => {
  ({ workflows, ledger, upstream, say } = assisted());
});

const text = 'Our fund beats everything. Guaranteed returns of 12% for all. Ask your neighbour, he is rich now.';
const check = async (more: object = {}) =>
  value(await workflows.run('risk', caller, read(CheckRiskRequestSchema, { text, domain: 'finance', ...more }), call));

const good = {
  texts: [{ id: 'summary', text: 'The risk is critical: nobody can guarantee 12%.' }],
  findings: [
    {
      quote: 'he is rich now',
      category: 'too_good_to_be_true',
      severity: 'low',
      reason: 'A lure.',
      suggestion: 'Cut it.',
    },
  ],
};
const json = JSON.stringify(good);
const pretty = JSON.stringify(good, null, 2);

/** What providers really send, as it was recorded. */
function recorded(name: string): object {
  const file = new URL(`../providers/recorded/${name}.json`, import.meta.url);
  return (JSON.parse(readFileSync(file, 'utf8')) as { reply: object }).reply;
}

describe('an answer that holds in any of the shapes in which models write it', () => {
  it.each([
    ['plain JSON', json],
    ['pretty JSON with blanks around it', `\n\n${pretty}\n `],
    ['fenced JSON', `\`\`\`json\n${pretty}\n\`\`\``],
    ['a fence without a language', `\`\`\`\n${json}\n\`\`\``],
    [
      'prose before and after',
      `Here is the assessment you asked for:\n\n${json}\n\nLet me know if I can help further!`,
    ],
    ['prose and a fence', `Sure! Here it is.\n\`\`\`json\n${pretty}\n\`\`\`\nI hope this helps.`],
    ['thoughts before it', `<think>The user wants JSON. {Let me see}</think>\n\`\`\`json\n${json}\n\`\`\``],
  ])('%s', async (_, answer) => {
    say(answer);
    const { reply } = await check();
    expect(upstream.seen).toHaveLength(1);
    expect(reply.findings.at(-1)).toMatchObject({ phrase: 'he is rich now', source: 'model', reason: 'A lure.' });
    expect(reply.basis).toMatchObject({ evaluator: 'assisted', model: 'm' });
  });
});

describe('an answer that does not hold goes back once', () => {
  const cut = json.slice(0, json.length - 30);
  const wrongEnum = JSON.stringify({ ...good, findings: [{ ...good.findings[0], severity: 'severe' }] });
  it.each([
    ['truncated JSON', completion(cut), 'it was no JSON'],
    ['an answer that was cut off', cutOff(cut), 'it was cut off'],
    ['a recorded answer that was cut off', recorded('openai-cut-off'), 'it was cut off'],
    ['a wrong enum', completion(wrongEnum), 'it did not fit at findings[0].severity'],
    ['a list in place of an object', completion('[]'), 'it was no JSON'],
    [
      'a field that nobody asked for',
      completion(JSON.stringify({ ...good, riskLevel: 'low' })),
      'it did not fit at answer',
    ],
    ['a missing field', completion(JSON.stringify({ texts: [] })), 'it did not fit at findings'],
    ['an empty answer', completion('  \n'), 'it was empty'],
    ['a refusal in words', completion("I'm sorry, but I can't help with that."), 'it was no JSON'],
    ['a recorded refusal', recorded('openai-refusal'), 'it was no JSON'],
    ['a recorded content filter', recorded('openai-content-filter'), 'it was empty'],
  ])('%s', async (_, first, problem) => {
    const { balance } = ledger;
    let asked = 0;
    upstream.answer(() => ({ body: asked++ === 0 ? first : completion(json) }));
    const { reply, cost } = await check();
    expect(upstream.seen).toHaveLength(2);
    const messages = upstream.seen[1]?.body.messages as { role: string; content: string }[];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(reply.basis?.evaluator).toBe('assisted');
    expect(reply.basis?.note).toContain(`its first answer did not hold (${problem}), the second one did`);
    expect(balance - ledger.balance).toBe(cost);
    expect(ledger.held).toBe(0n);

    // The second time as well: rules alone answer, both calls are paid, and no third one follows.
    upstream.answer(() => ({ body: first }));
    upstream.seen.length = 0;
    const failed = await check();
    expect(upstream.seen).toHaveLength(2);
    expect(failed.reply.basis).toMatchObject({ evaluator: 'rules', model: '' });
    expect(failed.reply.basis?.note).toContain(`nor did a second one: ${problem}. Rules alone answer.`);
    expect(failed.cost).toBeGreaterThan(price);
  });

  it('tells the model where it missed the schema', async () => {
    say(
      JSON.stringify({ ...good, findings: [{ ...good.findings[0], severity: 'severe', category: 'naughty' }] }),
      json,
    );
    await check();
    const messages = upstream.seen[1]?.body.messages as { content: string }[];
    expect(messages.at(-1)?.content).toMatch(/findings\[0\]\.category: .*findings\[0\]\.severity: .*"info"/);
  });

  it('is not sent back when only a part of it is dropped', async () => {
    say({ ...good, texts: [{ id: 'summary', text: 'The text is harmless.' }] });
    expect((await check()).reply.basis?.evaluator).toBe('assisted');
    expect(upstream.seen).toHaveLength(1);
  });

  it('costs no more together than what is held, however long the answers are', async () => {
    const held: bigint[] = [];
    upstream.answer(() => {
      held.push(ledger.held);
      return {
        body: completion('ü'.repeat(9_000), {
          prompt_tokens: 90_000,
          completion_tokens: 90_000,
          total_tokens: 180_000,
        }),
      };
    });
    const { cost } = await check();
    expect(upstream.seen).toHaveLength(2);
    expect(held[0]).toBe(held[1]);
    expect(cost).toBeLessThanOrEqual(held[0] ?? 0n);
    expect(ledger.held).toBe(0n);
    // Longer than what goes back of it, and cut where a letter ends.
    const echo = (upstream.seen[1]?.body.messages as { content: string }[] | undefined)?.[2];
    expect(echo?.content).toBe('ü'.repeat(4_000));
  });

  it('costs no more together than the caller’s own maximum', async () => {
    const held: bigint[] = [];
    // Whatever may be charged is charged.
    const usage = { prompt_tokens: 90_000, completion_tokens: 90_000, total_tokens: 180_000 };
    upstream.answer(() => {
      held.push(ledger.held);
      return { body: completion('no', usage) };
    });
    const { cost } = await check();
    expect(upstream.seen).toHaveLength(2);
    const maximum = ((cost - price) * 7n) / 10n;
    upstream.seen.length = 0;
    const bounded = await check({ routing: { maxCostUsd: formatUsd(maximum) } });
    expect(upstream.seen).toHaveLength(1);
    expect(held.at(-1)).toBeLessThanOrEqual(price + maximum);
    expect(bounded.cost).toBeGreaterThan(price);
    expect(bounded.cost - price).toBeLessThanOrEqual(maximum);
    expect(bounded.reply.basis?.note).toContain('No second one came.');
  });

  it('does not hold up when no second answer comes', async () => {
    let asked = 0;
    upstream.answer(() => (asked++ === 0 ? { body: completion('no') } : { status: 500 }));
    const { reply, cost } = await check();
    expect(reply.basis?.note).toBe(
      'm was asked, and its answer did not hold: it was no JSON. No second one came. Rules alone answer.',
    );
    expect(cost).toBeGreaterThan(price);
  });
});

describe('the reader’s language', () => {
  const german = {
    texts: [
      { id: 'summary', text: 'Das Risiko ist kritisch: Niemand kann 12 % versprechen.' },
      { id: 'action', text: 'Nennen Sie die Risiken und versprechen Sie keinen festen Gewinn.' },
    ],
    findings: [],
  };

  it('takes right answers in German, where the locale is German', async () => {
    say(german);
    const { reply } = await check({ locale: 'de-AT' });
    expect(reply).toMatchObject({
      summary: 'Das Risiko ist kritisch: Niemand kann 12 % versprechen.',
      nextBestAction: 'Nennen Sie die Risiken und versprechen Sie keinen festen Gewinn.',
    });
    expect(reply.basis?.note).toBe(
      'm wurde gefragt und hat geantwortet. Übernommen: die Zusammenfassung; der nächste Schritt.',
    );
    expect(upstream.seen).toHaveLength(1);
    expect(JSON.stringify(upstream.seen[0]?.body)).toContain('\\"language\\":\\"de\\"');
  });

  it.each([
    ['es', 'El riesgo es crítico: nadie puede prometer un 12 %.', 'Se conservó: el resumen.'],
    ['fr', 'Le risque est critique : personne ne peut promettre 12 %.', 'Retenu : le résumé.'],
  ])('and in %s', async (locale, summary, note) => {
    say({ texts: [{ id: 'summary', text: summary }], findings: [] });
    const { reply } = await check({ locale });
    expect(reply.summary).toBe(summary);
    expect(reply.basis?.note).toContain(note);
  });

  it('drops answers in another one, and says so in the reader’s', async () => {
    say(german);
    const { reply } = await check({ locale: 'fr' });
    expect(reply.summary).toMatch(/^Niveau de risque : critique/);
    expect(reply.basis?.note).toBe(
      'm a été consulté et a répondu. Rien n’en a été retenu. ' +
        'Écarté : le résumé (il est dans une autre langue); la prochaine étape (il est dans une autre langue).',
    );
  });

  it('asks no model for words that cannot be checked', async () => {
    const request = read(CheckProfileRequestSchema, { template: 'person', values: { email: 'ana' }, locale: 'it' });
    const { reply, cost } = value(await workflows.run('guidance', caller, request, call));
    expect(reply.basis).toMatchObject({
      evaluator: 'rules',
      note: 'No model was asked for words, since what it writes in this language cannot be checked.',
    });
    expect(cost).toBe(price);
    expect(upstream.seen).toHaveLength(0);
  });

  it('words a form in German', async () => {
    const request = read(CheckProfileRequestSchema, {
      template: 'person',
      values: { email: 'ana@example' },
      locale: 'de',
    });
    const german = 'Die Adresse ist unvollständig: Ergänzen Sie die Endung nach dem Punkt.';
    say({
      texts: [
        { id: 'field:email', text: german },
        { id: 'summary', text: 'Es fehlen noch einige Angaben.' },
      ],
    });
    const { reply } = value(await workflows.run('guidance', caller, request, call));
    expect(reply.fields.find(({ field }) => field === 'email')?.suggestion).toBe(german);
    expect(reply.summary).toBe('Es fehlen noch einige Angaben.');
    expect(reply.basis?.note).toMatch(
      /^m wurde gefragt und hat geantwortet\. Übernommen: der Hinweis zu .+; die Zusammenfassung\.$/,
    );
  });

  it('asks for evidence alone where texts cannot be checked', async () => {
    say({ texts: [{ id: 'summary', text: 'Il rischio è critico.' }], findings: good.findings });
    const { reply } = await check({ locale: 'it' });
    expect(reply.findings.at(-1)).toMatchObject({ source: 'model', reason: expect.stringContaining('as bait does') });
    expect(reply.summary).not.toContain('rischio');
    expect(JSON.stringify(upstream.seen[0]?.body)).toContain('\\"texts\\":[]');
  });
});

function cutOff(content: string): object {
  const whole = completion(content) as { choices: object[] };
  return { ...whole, choices: [{ ...whole.choices[0], finish_reason: 'length' }] };
}
