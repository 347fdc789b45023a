import { fromJson } from '@bufbuild/protobuf';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/base/caller.ts';
import { systemClock } from '../../src/base/clock.ts';
import { unwrap } from '../../src/base/failure.ts';
import { type Catalog, createCatalog, memoryPriceStore } from '../../src/catalog/index.ts';
import { createCircuitBreaker, createModelCalls } from '../../src/chat/index.ts';
import { DraftDocumentRequestSchema } from '../../src/gen/intelligence/workflow/v1/draft_pb.ts';
import { createProviders, defaultUpstreamLimits, type Providers } from '../../src/providers/index.ts';
import { createWorkflows, type Workflows } from '../../src/workflows/index.ts';
import { testModel } from '../chat/harness.ts';
import { firstServer, silent, useDatabase } from '../support/database.ts';
import { memoryLedger } from '../support/memory-ledger.ts';
import { testSandbox } from '../support/sandbox.ts';
import { completion, startUpstream, type Upstream } from '../support/upstream.ts';

const fresh = useDatabase(firstServer());
let upstream: Upstream;
let providers: Providers;
let catalog: Catalog;
let workflows: Workflows;

const caller: Caller = {
  credential: 'api_key',
  name: 'key_1',
  accountId: 'acc_1',
  key: { id: 'key_1', version: 1 },
  scopes: new Set(['workflows']),
};
const call = { signal: new AbortController().signal };

beforeAll(async () => {
  upstream = await startUpstream();
  providers = createProviders({
    providers: [{ id: 'p', kind: 'openai-compatible', baseUrl: upstream.url, apiKey: 'sk-secret' }],
    log: silent,
    limits: { ...defaultUpstreamLimits, connectMs: 1_000 },
  });
  const settings = { models: [testModel('p', 'm')], services: { workflow: { perRequestUsd: '0.002' } } };
  catalog = await createCatalog({
    ...{ store: memoryPriceStore(), settings, log: silent },
    enabledProviders: providers.enabled,
  });
  await catalog.importPrices();
  const sandbox = testSandbox();
  const breaker = createCircuitBreaker({ clock: systemClock });
  workflows = createWorkflows({
    ...{ db: fresh().database, ledger: memoryLedger(5_000_000_000n), prices: catalog, sandbox, log: silent },
    assistant: createModelCalls({
      ...{ catalog, providers, sandbox, clock: systemClock, log: silent, breaker, deadlineMs: 60_000 },
    }),
  });
});
beforeEach(() => {
  upstream.seen.length = 0;
});
afterAll(async () => {
  await catalog.close();
  await providers.close();
  await upstream.close();
});

/** The model's answers, one after the other; the last one again and again. */
function say(...answers: object[]): void {
  let next = 0;
  upstream.answer(() => ({ body: completion(JSON.stringify(answers[Math.min(next++, answers.length - 1)])) }));
}

/** What an honest model writes of a late order, and sentences that add what no fact gives. */
const lies = {
  en: {
    facts: [
      { name: 'customer', value: 'Ms Adeyemi' },
      { name: 'order', value: '20931' },
      { name: 'new date', value: '2026-12-04' },
    ],
    honest:
      'Dear Ms Adeyemi,\n\nplease accept our apology: your order 20931 is delayed. It will now reach you on December 4, 2026.\n\nKind regards',
    added: {
      number: 'This is the case for 3 orders.',
      'number in words': 'This is the case for twenty orders.',
      amount: 'We credit $15.00.',
      date: 'You hear from us on Monday.',
      'relative date': 'You hear from us next week.',
      name: 'Your contact is Peter Novak.',
      organisation: 'The parcel is with ParcelQuick.',
      promise: 'We guarantee that this stays the only time.',
      gift: 'You receive a voucher.',
      accusation: 'The carrier stole it.',
      'legal threat': 'Our lawyer looks at it.',
      link: 'See https://example.com/late.',
      address: 'Write to help@example.com.',
      instruction: 'We say that we never do this again.',
    },
  },
  de: {
    facts: [
      { name: 'Kunde', value: 'Frau Albrecht' },
      { name: 'Bestellnummer', value: '20931' },
      { name: 'neuer Liefertermin', value: '2026-12-04' },
    ],
    honest:
      'Guten Tag Frau Albrecht,\n\nbitte entschuldigen Sie: Ihre Bestellung 20931 verzögert sich. Sie erreicht Sie nun am 4. Dezember 2026.\n\nFreundliche Grüße',
    added: {
      number: 'Das betrifft 3 Bestellungen.',
      'number in words': 'Das betrifft zwanzig Bestellungen.',
      amount: 'Wir schreiben 15,00 € gut.',
      date: 'Sie hören am Montag von uns.',
      name: 'Ihr Ansprechpartner ist Herr Novak.',
      organisation: 'Das Paket liegt bei der Schnellpost GmbH.',
      promise: 'Wir versprechen, dass es dabei bleibt.',
      gift: 'Sie erhalten einen Gutschein.',
      accusation: 'Der Bote hat es gestohlen.',
      'legal threat': 'Unser Anwalt sieht es sich an.',
      language:
        'We are sorry for the delay of this order and hope that it reaches the right place in the end, as it was planned. '.repeat(
          4,
        ),
    },
  },
  es: {
    facts: [
      { name: 'cliente', value: 'Sra. Ruiz' },
      { name: 'pedido', value: '20931' },
      { name: 'nueva fecha', value: '2026-12-04' },
    ],
    honest:
      'Buenos días, Sra. Ruiz:\n\nle pedimos disculpas: su pedido 20931 se retrasa. Ahora llegará el 4 de diciembre de 2026.\n\nUn saludo',
    added: {
      number: 'Esto afecta a 3 pedidos.',
      date: 'Le escribimos el lunes.',
      name: 'Su contacto es Pedro Gil.',
      promise: 'Le garantizamos que no se repite.',
      gift: 'Recibe un descuento.',
      accusation: 'Es un robo del mensajero.',
    },
  },
  fr: {
    facts: [
      { name: 'cliente', value: 'Mme Dupont' },
      { name: 'commande', value: '20931' },
      { name: 'nouvelle date', value: '2026-12-04' },
    ],
    honest:
      'Bonjour Mme Dupont,\n\nveuillez nous excuser : votre commande 20931 prend du retard. Elle arrivera le 4 décembre 2026.\n\nCordialement',
    added: {
      number: 'Cela concerne 3 commandes.',
      date: 'Nous vous écrivons lundi.',
      name: 'Votre contact est Pierre Novak.',
      promise: 'Nous vous promettons mieux.',
      gift: "Vous recevez un bon d'achat.",
      accusation: 'Le livreur est un escroc.',
    },
  },
};

const keptNote: Record<string, RegExp> = {
  en: /Kept: the document\.$/,
  de: /Übernommen: das Dokument\.$/,
  es: /Se conservó: el documento\.$/,
  fr: /Retenu : le document\.$/,
};
const missedNote: Record<string, RegExp> = {
  en: /did not hold, nor did a second one: .*Rules alone answer\.$/,
  de: /hielt der Prüfung nicht stand, eine zweite auch nicht: .*Es antworten allein die Regeln\.$/,
  es: /no superó la comprobación, y la segunda tampoco: .*Responden solo las reglas\.$/,
  fr: /n’a pas passé le contrôle, la seconde non plus : .*Seules les règles répondent\.$/,
};

describe.each(Object.entries(lies))('a draft in %s', (locale, { facts, honest, added }) => {
  const request = fromJson(DraftDocumentRequestSchema, {
    ...{
      purpose: 'apologise nicely and say that we never do this again, Peter is to blame',
      kind: 'apology_for_delay',
    },
    ...{ locale, facts },
  });

  it('is worded by a model that keeps to what is given', async () => {
    say({ title: '', body: honest });
    const { reply } = unwrap(await workflows.draft(caller, request, call));
    expect(reply.basis).toMatchObject({
      evaluator: 'assisted',
      note: expect.stringMatching(keptNote[locale] as RegExp),
    });
    expect(reply.draft?.body).toBe(honest);
    expect(upstream.seen).toHaveLength(1);
  });

  it.each(Object.entries(added))(
    'that adds %s goes back once, then the text of the rules stands',
    async (_, sentence) => {
      const byRules = unwrap(await workflows.draft(caller, { ...request, assist: 'off' }, call)).reply.draft?.body;
      say({ title: '', body: `${honest} ${sentence}` });
      const { reply } = unwrap(await workflows.draft(caller, request, call));
      expect(upstream.seen).toHaveLength(2);
      expect(reply.draft?.body).toBe(byRules);
      expect(reply.basis).toMatchObject({ evaluator: 'rules', model: '' });
      expect(reply.basis?.note).toMatch(missedNote[locale] as RegExp);
      expect(JSON.stringify(upstream.seen[1]?.body)).toContain('Answer again with all of it, with this put right.');
      // The second answer counts when it holds.
      upstream.seen.length = 0;
      say({ title: '', body: `${honest} ${sentence}` }, { title: '', body: honest });
      expect(unwrap(await workflows.draft(caller, request, call)).reply.draft?.body).toBe(honest);
      expect(upstream.seen).toHaveLength(2);
    },
  );

  it('is caught in the title as well', async () => {
    say({ title: `Order 20931: ${added.promise}`, body: honest });
    expect(unwrap(await workflows.draft(caller, request, call)).reply.basis?.evaluator).toBe('rules');
  });
});
