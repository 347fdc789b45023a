import { expect, test, vi } from 'vitest';
import { chooseNextAction } from '../../../src/pulse/next-action.ts';

type Findings = Parameters<typeof chooseNextAction>[0];

const none = { totals: { sessions: 40 }, funnel: [], stalls: [], errors: [] };
const pay = { step: 'pay', sessions: 40, abandoned: 0, leftAfter: 0 };
const funnel = [{ step: 'pay' }, { step: 'done' }];
const error = { code: 'card_declined', step: 'pay', sessions: 12, recoveredSessions: 3, rate: 0.3 };

/** What the rules say of each finding that they know. */
const said = Object.entries({
  none: { ...none, totals: { sessions: 0 } },
  error: { ...none, errors: [error] },
  'error without a share': { ...none, errors: [{ ...error, rate: undefined }] },
  'error of one session': {
    ...none,
    totals: { sessions: 1 },
    errors: [{ ...error, sessions: 1, recoveredSessions: 0 }],
  },
  stop: { ...none, stalls: [{ ...pay, abandoned: 7, abandonmentRate: 0.175 }] },
  lead: { ...none, stalls: [{ ...pay, leftAfter: 9 }] },
  'lead to': { ...none, funnel, stalls: [{ ...pay, leftAfter: 9 }] },
  'shorten by seconds': { ...none, stalls: [{ ...pay, timesNorm: 2.52, dwell: { p50Seconds: 75.2 } }] },
  'shorten by minutes': { ...none, stalls: [{ ...pay, timesNorm: 3, dwell: { p50Seconds: 600 } }] },
  fine: none,
}).map(([name, findings]) => [name, chooseNextAction(findings as unknown as Findings)] as const);

async function inLanguage(language: string) {
  vi.resetModules();
  vi.stubGlobal('localStorage', { getItem: () => language });
  vi.stubGlobal('navigator', { languages: [language] });
  const { loadTexts } = await import('../../../console/src/i18n/index.ts');
  await loadTexts('pulse');
  return (await import('../../../console/src/pages/pulse/next-action.ts')).nextActionText;
}

test('in English the console says what the rules say, word for word', async () => {
  const text = await inLanguage('en');
  expect(said.map(([name, sentence]) => [name, text(sentence)])).toEqual(said);
});

test('in German each sentence is a German one with the same steps, codes and numbers', async () => {
  const text = await inLanguage('de');
  for (const [name, sentence] of said) {
    const german = text(sentence) ?? '';
    expect([name, german]).not.toEqual([name, sentence]);
    const facts = (of: string) => of.replaceAll(',', '.').match(/card_declined|\bpay\b|\bdone\b|\d+(\.\d)?/g);
    expect([name, facts(german)]).toEqual([name, facts(sentence)]);
  }
  expect(text(said[1]?.[1] ?? '')).toBe(
    'Beheben Sie den Fehler card_declined im Schritt „pay“: Er traf 12 Sitzungen (30\u00a0% der Sitzungen in diesem Schritt), davon 9 ohne späteren Abschluss des Schritts.',
  );
});

test('a sentence that is not known is left to be shown as it is', async () => {
  expect((await inLanguage('de'))('Ask a person.')).toBeUndefined();
});
