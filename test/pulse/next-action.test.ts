// The next action in the reader's language: the same findings, steps, codes and figures in each.
import { describe, expect, it } from 'vitest';
import { chooseNextAction } from '../../src/pulse/next-action.ts';

type Findings = Parameters<typeof chooseNextAction>[0];

const none = { totals: { sessions: 40 }, funnel: [], stalls: [], errors: [] };
const pay = { step: 'pay', sessions: 40, abandoned: 0, leftAfter: 0 };
const error = { code: 'card_declined', step: 'pay', sessions: 12, recoveredSessions: 3, rate: 0.305 };
const cases = {
  none: { ...none, totals: { sessions: 0 } },
  error: { ...none, errors: [error] },
  'an error of one session': {
    ...{ ...none, totals: { sessions: 1 } },
    errors: [{ ...error, sessions: 1, recoveredSessions: 0, rate: undefined }],
  },
  stop: { ...none, stalls: [{ ...pay, abandoned: 7, abandonmentRate: 0.175 }] },
  'a stop of one': { ...none, totals: { sessions: 1 }, stalls: [{ ...pay, abandoned: 1, abandonmentRate: 1 }] },
  lead: { ...none, stalls: [{ ...pay, leftAfter: 9 }] },
  'lead to': { ...none, funnel: [{ step: 'pay' }, { step: 'done' }], stalls: [{ ...pay, leftAfter: 9 }] },
  'shorten by seconds': { ...none, stalls: [{ ...pay, timesNorm: 2.52, dwell: { p50Seconds: 75.2 } }] },
  'shorten by minutes': { ...none, stalls: [{ ...pay, timesNorm: 3, dwell: { p50Seconds: 600 } }] },
  fine: none,
} as unknown as Readonly<Record<string, Findings>>;

const figures = (text: string) =>
  (text.replaceAll(',', '.').match(/card_declined|\bpay\b|\bdone\b|\d+(\.\d)?/g) ?? []).sort();

describe.each(Object.entries(cases))('%s', (_name, findings) => {
  it.each(['de', 'es', 'fr'])('is told in %s, with the same steps, codes and figures', (locale) => {
    const [there, english] = [chooseNextAction(findings, locale), chooseNextAction(findings)];
    expect(there).not.toBe(english);
    expect(figures(there)).toEqual(figures(english));
    expect(there).not.toMatch(/undefined|\{|\bthe\b|sessions? (?:stopped|completed)/);
    expect(there).not.toContain("'");
  });

  it.each(['', 'en', 'en-GB', 'it', 'zh-Hans-CN', 'nonsense!', 'x'.repeat(35)])('is English for "%s"', (locale) => {
    expect(chooseNextAction(findings, locale)).toBe(chooseNextAction(findings));
  });
});

it('writes figures as the locale does', () => {
  const { stop } = cases;
  const said = (locale: string) => chooseNextAction(stop as Findings, locale);
  expect(said('de-AT')).toMatch(/^Sehen Sie sich den Schritt „pay“ an: 7 Sitzungen endeten dort.*\(17,5\s%/);
  expect(said('es_ES')).toContain('17,5');
  expect(said('fr')).toMatch(/17,5\s%/);
  expect(said('es-MX')).toContain('17.5');
});
