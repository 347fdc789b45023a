import { fromJson, type JsonValue } from '@bufbuild/protobuf';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/base/clock.ts';
import { type Result, unwrap } from '../../src/base/failure.ts';
import { atOnce } from '../../src/base/slices.ts';
import { type CredentialChanges, createCredentialChanges } from '../../src/db/credential-changes.ts';
import { OwnRiskPackSchema } from '../../src/gen/intelligence/workflow/v1/own_pack_pb.ts';
import { CheckRiskRequestSchema } from '../../src/gen/intelligence/workflow/v1/risk_pb.ts';
import { riskFamily } from '../../src/workflows/families/risk.ts';
import { allowModelFindings } from '../../src/workflows/families/risk-evidence.ts';
import { createOwnPacks, type OwnPacks } from '../../src/workflows/index.ts';
import { compilePacks } from '../../src/workflows/own-packs/rules.ts';
import { sightingsIn } from '../../src/workflows/sightings.ts';
import { eachServer, useDatabase } from '../support/database.ts';

/** A pack as its author writes it. */
const pack = (json: object) =>
  Object.assign(fromJson(OwnRiskPackSchema, { packId: 'brand', ...json } as JsonValue), { version: 3 });
const entry = (id: string, phrases: string[], more: object = {}) => ({ id, phrases, category: 'brand_rules', ...more });

/** The reply to a request by rules alone, with these packs. */
async function check(json: object, ...packs: ReturnType<typeof pack>[]) {
  const request = fromJson(CheckRiskRequestSchema, json as JsonValue);
  const wanted = riskFamily.ownPacksOf?.(request);
  const ownPacks = wanted && (await compilePacks(packs)).select(wanted).rules;
  return atOnce(unwrap(atOnce(riskFamily.prepare(request, { nowMs: 0, ownPacks }))).compute([]));
}

const letters = (first: string) =>
  fc
    .string({ unit: fc.constantFrom(...'abcdefghijklmnoprstuvwxy'), minLength: 2, maxLength: 7 })
    .map((rest) => `${first}${rest}`);
/** Ways to write the same word, all of which the matcher reads alike. */
const spelled: ((word: string) => string)[] = [
  (word) => word,
  (word) => word.toUpperCase(),
  (word) => word.replace(/[a-z]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  (word) => `${word[0]}\u0301${word.slice(1)}`,
  (word) => `${word.slice(0, 2)}\u200b${word.slice(2)}`,
  (word) => `${word.slice(0, 2)}\u00ad${word.slice(2)}`,
  (word) => `${word.slice(0, 1)}\u0308${word.slice(1)}`.normalize('NFC'),
];
const between = fc.constantFrom(' ', '  ', '\u00a0', '-', '\u2013', '\n', '\t');

describe('a pack finds its phrases and nothing else', () => {
  // Words of packs begin with a letter with which no word around them begins.
  const phrase = fc.array(letters('q'), { minLength: 1, maxLength: 3 });
  const around = fc.array(letters('z'), { maxLength: 8 }).map((words) => words.join(' '));

  test('with one of its phrases, in any case and Unicode form, there is a finding where it stands', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(phrase, { minLength: 1, maxLength: 5 }),
        fc.nat(),
        fc.array(fc.record({ how: fc.nat(), gap: between }), { minLength: 3, maxLength: 3 }),
        around,
        around,
        async (phrases, which, hows, before, after) => {
          const words = phrases[which % phrases.length] as string[];
          const said = words
            .map((word, index) => {
              const { how, gap } = hows[index] as (typeof hows)[number];
              return (index === 0 ? '' : gap) + (spelled[how % spelled.length] as (word: string) => string)(word);
            })
            .join('');
          const text = `${before} ${said}. ${after}`;
          const own = pack({ entries: phrases.map((words, index) => entry(`e-${index}`, [words.join(' ')])) });
          const { findings } = await check({ text }, own);
          const start = [...before].length + 1;
          expect(findings.filter((one) => one.pack === 'own/brand@3')).toContainEqual(
            expect.objectContaining({ phrase: said, start, end: start + [...said].length, source: 'own' }),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test('without any of them there is none', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(phrase, { minLength: 1, maxLength: 5 }),
        around,
        between,
        around,
        async (phrases, a, gap, b) => {
          const own = pack({ entries: phrases.map((words, index) => entry(`e-${index}`, [words.join(' ')])) });
          const { findings } = await check({ text: `${a}${gap}${b}.` }, own);
          expect(findings.filter((one) => one.pack !== '')).toEqual([]);
        },
      ),
      { numRuns: 200 },
    );
  });

  test('a part of a word, and words in another order, are no phrase', async () => {
    const own = pack({ entries: [entry('one', ['grey market']), entry('two', ['refund*'])] });
    for (const text of ['greymarket', 'market grey', 'a grey marketeer', 'prerefund'])
      expect((await check({ text }, own)).findings).toEqual([]);
    expect((await check({ text: 'Refunding grey-market phones' }, own)).findings.map((one) => one.phrase)).toEqual([
      'Refunding',
      'grey-market',
    ]);
  });
});

describe('what a pack allows', () => {
  const allowing = (allow: object[], entries: object[] = []) => pack({ allow, entries });
  const brand = 'Our new Ivory for sale Lane sofa is here.';

  test('is told as allowed with its pack, and raises nothing', async () => {
    const without = await check({ text: brand, domain: 'marketplace' });
    expect(without.findings.length).toBeGreaterThan(0);
    const grave = without.findings.some(({ severity }) => severity === 'critical');
    const reply = await check(
      { text: brand, domain: 'marketplace' },
      allowing([{ phrase: 'Ivory for sale Lane', allowsCritical: grave }]),
    );
    expect(reply.findings).toEqual([]);
    expect(reply).toMatchObject({ riskLevel: 'low', riskScore: 0, findingsTotal: 0 });
    expect(reply.allowed).toEqual([
      {
        ...{ phrase: 'Ivory for sale Lane', start: 8, end: 27, messageIndex: undefined },
        ...{ pack: 'own/brand@3', allowsCritical: grave, findings: without.findings },
      },
    ]);
    expect(reply.assessment?.packs).toContain('own/brand@3');
    expect(reply.basis?.packVersion).toContain('own/brand@3');
  });

  test('is only what stands inside the phrase', async () => {
    const own = allowing([{ phrase: 'free lunch' }], [entry('free', ['free']), entry('lunch', ['lunch today'])]);
    const { findings, allowed } = await check({ text: 'A free lunch today, and free tea.' }, own);
    expect(findings.map(({ phrase, start }) => [phrase, start])).toEqual([
      ['lunch today', 7],
      ['free', 24],
    ]);
    expect(allowed.map(({ phrase, findings }) => [phrase, findings.map((one) => one.phrase)])).toEqual([
      ['free lunch', ['free']],
    ]);
  });

  test('leaves what is critical, unless the entry says so', async () => {
    const entries = [entry('bad', ['killer bee'], { severity: 'critical' })];
    const kept = await check({ text: 'Killer Bee honey' }, allowing([{ phrase: 'killer bee honey' }], entries));
    expect(kept.findings).toMatchObject([{ phrase: 'Killer Bee', severity: 'critical' }]);
    expect(kept.riskLevel).toBe('critical');
    expect(kept.allowed).toMatchObject([{ phrase: 'Killer Bee honey', allowsCritical: false, findings: [] }]);
    const phrase = { phrase: 'killer bee honey', allowsCritical: true };
    const said = await check({ text: 'Killer Bee honey' }, allowing([phrase], entries));
    expect(said).toMatchObject({ findings: [], riskLevel: 'low', allowed: [{ findings: [{ severity: 'critical' }] }] });
  });

  test('is not what the request itself looks for, and the request does not allow what a pack finds', async () => {
    const own = allowing([{ phrase: 'acme tea' }], [entry('cheap', ['cheap'])]);
    const looked = await check({ text: 'Cheap Acme tea', phrases: [{ phrase: 'acme' }], allowPhrases: ['cheap'] }, own);
    expect(looked.findings.map(({ phrase, pack }) => [phrase, pack])).toEqual([
      ['Cheap', 'own/brand@3'],
      ['Acme', ''],
    ]);
  });

  test('is allowed to a model, too, in its own message, unless it is critical', async () => {
    const place = (await check({ text: 'x Killer Bee' }, allowing([{ phrase: 'killer bee' }]))).allowed[0];
    if (!place) throw new Error('no place');
    const finding = (start: number, severity: string, messageIndex?: number) => ({
      ...{ phrase: 'Killer', start, end: start + 6, category: 'threat', severity, reason: '', suggestion: '' },
      ...{ source: 'model', pack: '', messageIndex },
    });
    const found = [finding(2, 'high'), finding(2, 'critical'), finding(0, 'high'), finding(2, 'high', 1)];
    const { counted, allowed } = allowModelFindings([place], found);
    expect(counted).toEqual(found.slice(1));
    expect(allowed[0]?.findings).toEqual(found.slice(0, 1));
    expect(place.findings).toEqual([]);
  });
});

describe('which packs apply', () => {
  const of = (packId: string, json: object = {}) => pack({ packId, entries: [entry('e', ['qaz'])], ...json });
  const packs = [of('every'), of('shops', { domain: 'marketplace' }), of('trial', { enabled: false })];
  const found = async (json: object) =>
    (await check({ text: 'qaz', ...json }, ...packs)).findings.map((one) => one.pack);

  test('those that are enabled and of the domain, or those that are named, or none', async () => {
    expect(await found({})).toEqual(['own/every@3', 'own/shops@3']);
    expect(await found({ domain: 'legal' })).toEqual(['own/every@3']);
    expect(await found({ domain: 'marketplace' })).toEqual(['own/every@3', 'own/shops@3']);
    expect(await found({ packs: ['trial'] })).toEqual(['own/trial@3']);
    expect(await found({ packs: ['none'] })).toEqual([]);
  });

  test('a search that ends before the text does is not "low"', async () => {
    // Each word of the text fits every one of these, so the search takes more steps than it may.
    const phrases = Array.from({ length: 400 }, (_, index) =>
      Array.from({ length: 9 }, (_, bit) => ((index >> bit) & 1 ? 'qaz' : 'qaz*')).join(' '),
    );
    const cruel = pack({
      entries: phrases.map((phrase, index) => entry(`e-${index}`, [phrase], { severity: 'info' })),
    });
    const text = 'qaz '.repeat(30_000);
    const reply = await check({ text, locale: 'de' }, cruel);
    expect(reply.assessment?.notAssessed).toContain('own');
    expect(reply).toMatchObject({ riskLevel: 'unknown', nextBestAction: expect.stringContaining('in Teilen') });
    const { rules } = (await compilePacks([cruel])).select({ packs: [], domain: '' });
    expect(sightingsIn('qaz '.repeat(750), [], false, rules)).toContainEqual({
      ...{ category: 'not_assessed', severity: 'critical', start: 0, end: 3_000, own: true },
    });
  });

  test('sightings leave out what a pack allows, also of the packs that are named', async () => {
    const { rules } = (
      await compilePacks([
        pack({ allow: [{ phrase: 'risk free lane', allowsCritical: true }], entries: [entry('e', ['qaz'])] }),
      ])
    ).select({ packs: [], domain: '' });
    const seen = (text: string, own?: typeof rules) =>
      sightingsIn(text, ['finance'], false, own).map((one) => one.start);
    expect(seen('the risk free lane, qaz').length).toBeGreaterThan(0);
    expect(seen('the risk free lane, qaz', rules)).toEqual([20]);
  });
});

const kinds = (results: readonly Result<unknown>[]) =>
  results.map((result) => (result.ok ? 'made' : result.failure.kind)).sort();

eachServer((server) => {
  const fresh = useDatabase(server);
  const changes: CredentialChanges[] = [];
  let packs: OwnPacks;

  async function open(options: Partial<Parameters<typeof createOwnPacks>[0]> = {}): Promise<OwnPacks> {
    const { database: db } = fresh();
    const heard = createCredentialChanges({ db, clock: systemClock, onError: () => {}, freshForMs: 60_000 });
    changes.push(heard);
    await heard.start();
    return createOwnPacks({ db, clock: systemClock, changes: heard, ...options });
  }
  beforeAll(async () => {
    packs = await open();
  });
  afterAll(() => Promise.all(changes.map((one) => one.close())));

  const all = { packs: [], domain: '' };
  const labels = async (room: OwnPacks, account: string) => (await room.of(account)).select(all).rules.labels;

  test('are made, read, listed, replaced and deleted by their account alone', async () => {
    const made = unwrap(await packs.create('acc_1', pack({ displayName: 'Höhe', entries: [entry('e', ['qaz'])] })));
    expect(made).toMatchObject({ version: 1, enabled: true, displayName: 'Höhe', entries: [{ severity: 'medium' }] });
    expect(made.sizeBytes).toBeGreaterThan(50);
    expect(unwrap(await packs.find('acc_1', 'brand'))).toEqual(made);
    expect(await packs.create('acc_1', made)).toMatchObject({ failure: { kind: 'already_exists' } });

    // Sending what is there makes no version, whatever version it names.
    expect(unwrap(await packs.update('acc_1', made, 7)).version).toBe(1);
    const changed = { ...made, entries: [{ ...made.entries[0], category: 'other' }] } as typeof made;
    expect(await packs.update('acc_1', changed, 7)).toMatchObject({ failure: { kind: 'precondition_failed' } });
    expect(unwrap(await packs.update('acc_1', changed, 1))).toMatchObject({
      ...{ version: 2, entries: [{ category: 'other' }], createTime: made.createTime },
    });
    expect(unwrap(await packs.update('acc_1', changed, 1)).version).toBe(2);

    for (const stranger of ['acc_2', 'acc_']) {
      expect(await packs.find(stranger, 'brand')).toMatchObject({ failure: { kind: 'not_found' } });
      expect(await packs.update(stranger, changed, undefined)).toMatchObject({ failure: { kind: 'not_found' } });
      expect(await packs.remove(stranger, 'brand')).toMatchObject({ failure: { kind: 'not_found' } });
      expect(unwrap(await packs.list(stranger, {})).items).toEqual([]);
      expect(await labels(packs, stranger)).toEqual([]);
      expect((await packs.of(stranger)).select({ packs: ['brand'], domain: '' }).missing).toEqual(['brand']);
    }
    for (const packId of ['c', 'a', 'b']) unwrap(await packs.create('acc_1', { ...changed, packId }));
    const first = unwrap(await packs.list('acc_1', { pageSize: 3 }));
    const rest = unwrap(await packs.list('acc_1', { pageSize: 3, pageToken: first.nextPageToken }));
    expect([...first.items, ...rest.items].map(({ packId }) => packId)).toEqual(['a', 'b', 'brand', 'c']);
    expect(rest.nextPageToken).toBe('');
    unwrap(await packs.remove('acc_1', 'brand'));
    expect(await packs.remove('acc_1', 'brand')).toMatchObject({ failure: { kind: 'not_found' } });
    expect(await labels(packs, 'acc_1')).toEqual(['own/a@1', 'own/b@1', 'own/c@1']);
  });

  test('whatever can never do what its author means is refused with its place', async () => {
    const wrong = pack({
      packId: 'none',
      entries: [
        entry('same', ['grey market', 'GREY–MARKET']),
        entry('same', ['re*fund', '#5 off', '\u200b\u200b\u200b', '**', 'fine*']),
      ],
      allow: [{ phrase: '. ..' }, { phrase: 'grey market' }],
    });
    const refused = await packs.create('acc_wrong', wrong);
    expect(refused).toMatchObject({ failure: { kind: 'invalid_argument' } });
    const violations = !refused.ok && refused.failure.kind === 'invalid_argument' ? refused.failure.violations : [];
    expect(violations.map(({ field }) => field)).toEqual([
      'pack.packId',
      'pack.entries[0].phrases[1]',
      'pack.entries[1].id',
      'pack.entries[1].phrases[0]',
      'pack.entries[1].phrases[1]',
      'pack.entries[1].phrases[2]',
      'pack.entries[1].phrases[3]',
      'pack.allow[0].phrase',
    ]);
    expect(await packs.create('acc_wrong', pack({}))).toMatchObject({
      failure: { violations: [{ field: 'pack.entries' }] },
    });
  });

  test('a pack that is larger than any may be is refused before its phrases are looked at', async () => {
    const large = pack({ entries: [entry('e', ['re*fund', ...Array.from({ length: 500 }, () => 'q'.repeat(140))])] });
    expect(await packs.create('acc_large', large)).toMatchObject({ failure: { kind: 'precondition_failed' } });
  });

  test('quotas hold when many come at once, and a smaller pack makes room', async () => {
    const few = await open({ quotas: { packs: 4 } });
    const many = Array.from({ length: 10 }, (_, index) =>
      pack({ packId: `p-${index}`, entries: [entry('e', ['qaz'])] }),
    );
    const made = await Promise.all(many.map((one) => few.create('acc_many', one)));
    expect(kinds(made).filter((kind) => kind === 'made')).toHaveLength(4);
    expect(kinds(made).filter((kind) => kind === 'precondition_failed')).toHaveLength(6);
    expect(unwrap(await few.list('acc_many', {})).items).toHaveLength(4);

    const tight = await open({ quotas: { phraseCharacters: 1_000 } });
    const long = (packId: string, count: number) =>
      pack({
        packId,
        entries: [
          entry(
            'e',
            Array.from({ length: count }, (_, index) => `qaz${index + 100}`),
          ),
        ],
      });
    const at = await Promise.all(['a', 'b', 'c', 'd'].map((packId) => tight.create('acc_tight', long(packId, 50))));
    expect(kinds(at)).toEqual(['made', 'made', 'made', 'precondition_failed']);
    const [kept] = unwrap(await tight.list('acc_tight', {})).items;
    const packId = kept?.packId ?? '';
    expect(await tight.update('acc_tight', long(packId, 120), undefined)).toMatchObject({ ok: false });
    unwrap(await tight.update('acc_tight', long(packId, 3), undefined));
    unwrap(await tight.create('acc_tight', long('e', 50)));
    const bytes = await open({ quotas: { bytes: 400 } });
    expect(await bytes.create('acc_bytes', long('a', 50))).toMatchObject({
      failure: { kind: 'precondition_failed', description: expect.stringContaining('400') },
    });
  });

  test('another node has a change once it hears of it; what is kept is bounded in bytes', async () => {
    const { database: db } = fresh();
    const other = createCredentialChanges({ db, clock: systemClock, onError: () => {}, pollEveryMs: 20 });
    const away = createCredentialChanges({ db, clock: systemClock, onError: () => {} });
    changes.push(other, away);
    await other.start();
    const there = createOwnPacks({ db, clock: systemClock, changes: other });
    // A node that hears of no change reads each time.
    const deaf = createOwnPacks({ db, clock: systemClock, changes: away });
    const heard = () =>
      new Promise<void>((resolve) => other.onChange((one) => one?.credentialId === 'acc_n' && resolve()));
    expect(await labels(there, 'acc_n')).toEqual([]);
    let change = heard();
    const made = unwrap(await packs.create('acc_n', pack({ entries: [entry('e', ['qaz'])] })));
    await change;
    expect(await labels(there, 'acc_n')).toEqual(['own/brand@1']);
    expect(there.of('acc_n')).toBe(await there.of('acc_n'));
    change = heard();
    unwrap(await packs.update('acc_n', { ...made, displayName: 'new' }, 1));
    expect(await labels(deaf, 'acc_n')).toEqual(['own/brand@2']);
    await change;
    expect(await labels(there, 'acc_n')).toEqual(['own/brand@2']);

    const small = await open({ keptBytesMax: 5_000 });
    for (const account of ['acc_n', 'acc_o', 'acc_p', 'acc_n']) await labels(small, account);
    expect(small.of('acc_n')).not.toBeInstanceOf(Promise);
    const large = pack({ packId: 'large', entries: [entry('e', [`a long phrase ${'x'.repeat(60)}`])] });
    unwrap(await small.create('acc_n', large));
    await labels(small, 'acc_n');
    // It is larger than all that may be kept.
    expect(small.of('acc_n')).toBeInstanceOf(Promise);
  });

  test('one that cannot be read is not passed over', async () => {
    unwrap(await packs.create('acc_torn', pack({ entries: [entry('e', ['qaz'])] })));
    const { database: db } = fresh();
    await db
      .for<{ risk_pack: { account_id: string; content: string } }>()
      .updateTable('risk_pack')
      .set({ content: '{"entries": 7}' })
      .where('account_id', '=', 'acc_torn')
      .execute();
    const node = await open();
    await expect(node.of('acc_torn')).rejects.toThrow();
    await expect(node.of('acc_torn')).rejects.toThrow();
  });
});
