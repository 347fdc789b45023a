import { afterEach, beforeEach, expect, test, vi } from 'vitest';

/** The browser that the modules are loaded in: what was chosen before, and the languages that it asks for. */
function browser(chosen: string | null, ...asked: string[]): void {
  vi.resetModules();
  vi.stubGlobal('localStorage', { getItem: () => chosen });
  vi.stubGlobal('navigator', { languages: asked });
}

beforeEach(() => browser('de'));
afterEach(() => {
  vi.unstubAllGlobals();
  vi.resetModules();
});

test.each([
  ['what was chosen goes before what the browser asks for', 'de', ['en-US'], 'de'],
  ['the first language of the browser that there is', null, ['fr-FR', 'de-AT', 'en'], 'de'],
  ['English where it comes first', null, ['en-GB', 'de'], 'en'],
  ['English where there is none of them', null, ['fr'], 'en'],
  ['what is stored and no language is passed over', 'xx', ['de'], 'de'],
  ['a language whose name only begins alike is another one', null, ['den'], 'en'],
])('%s', async (_, chosen, asked, expected) => {
  browser(chosen, ...asked);
  const { language } = await import('../../../console/src/i18n/language.ts');
  expect(language()).toBe(expected);
});

test('amounts have the comma, the sign behind, and every digit', async () => {
  const { axisText, balanceText, costText, exactText, readUsd, shortText } = await import(
    '../../../console/src/money.ts'
  );
  const nano = (usd: string) => readUsd(usd) ?? 0n;
  expect(exactText(nano('1234567.890123456'))).toBe('1.234.567,890123456\u00a0$');
  // Above what a number has digits for.
  expect(exactText(1_999_999_999_999_999_998n)).toBe('1.999.999.999,999999998\u00a0$');
  expect(balanceText(nano('31.589999999'))).toBe('31,58\u00a0$');
  expect(balanceText(nano('-0.001'))).toBe('−0,01\u00a0$');
  expect(costText(nano('0.002140123'))).toBe('0,00214\u00a0$');
  expect(shortText(nano('20'))).toBe('20\u00a0$');
  expect(axisText(0.5)).toBe('0,50\u00a0$');
});

test.each([
  ['20', 20_000_000_000n],
  ['12,50', 12_500_000_000n],
  ['12.50', 12_500_000_000n],
  ['0,000000001', 1n],
  ['0.005', 5_000_000n],
  [' 1.234,5 ', 1_234_500_000_000n],
  ['1234,5', 1_234_500_000_000n],
  // Fifteen hundred to a German reader, and one and a half to the API.
  ['1.500', undefined],
  ['1.23,4', undefined],
  ['1,2,3', undefined],
  ['1,234.50', undefined],
  ['-5', undefined],
  ['', undefined],
])('%j is read as an amount that a German reader typed', async (typed, amount) => {
  const { typedUsd, usdOf } = await import('../../../console/src/typed-usd.ts');
  expect(typedUsd(typed)).toBe(amount);
  const { formatUsd } = await import('../../../console/src/money.ts');
  expect(usdOf(typed)).toBe(amount === undefined ? typed.trim() : formatUsd(amount));
});

test('an amount of the API is typed with the comma, and is the same when it is read again', async () => {
  const { typedUsd, usdToType } = await import('../../../console/src/typed-usd.ts');
  expect(usdToType('12.50')).toBe('12,50');
  expect(typedUsd(usdToType('1.500'))).toBe(1_500_000_000n);
});

test('in English the API’s own way is the only one', async () => {
  browser('en');
  const { typedUsd, usdOf, usdToType } = await import('../../../console/src/typed-usd.ts');
  expect(typedUsd('1.500')).toBe(1_500_000_000n);
  expect(typedUsd('12,50')).toBeUndefined();
  expect(usdOf(' 5 ')).toBe('5');
  expect(usdToType('12.50')).toBe('12.50');
});

test('numbers, lists, days and plurals are German', async () => {
  const { formatNumber, inSentence, listText, loadTexts, t } = await import('../../../console/src/i18n/index.ts');
  const { dayText, monthText } = await import('../../../console/src/days.ts');
  expect(formatNumber(1_234_567.5)).toBe('1.234.567,5');
  expect(formatNumber(0.123, { style: 'percent', maximumFractionDigits: 1 })).toBe('12,3\u00a0%');
  expect(listText(['Chat', 'Workflows', 'Geräte'])).toBe('Chat, Workflows und Geräte');
  expect(dayText('2026-11-02')).toBe('2. Nov.');
  expect(monthText('2026-03-02')).toBe('März');
  expect(inSentence('Modell')).toBe('Modell');
  await loadTexts('common');
  expect(t('common.retryIn', { count: 1 })).toBe('Neuer Versuch in 1 Sekunde.');
  expect(t('common.retryIn', { count: 1_200 })).toBe('Neuer Versuch in 1.200 Sekunden.');
});

test('a refusal is worded by its reason; the service’s own text is below where the reason does not say it all', async () => {
  const { loadTexts } = await import('../../../console/src/i18n/index.ts');
  const { failureText, failureWords } = await import('../../../console/src/ui/failure-words.ts');
  await loadTexts('common');
  const failure = (reason: string) => ({
    ...{ status: 400, code: 'INVALID_ARGUMENT', violations: [], reason },
    message: 'The displayName is too long.',
  });
  expect(failureWords(failure('RATE_LIMITED'))).toEqual({ title: 'Zu viele Anfragen. Warten Sie einen Moment.' });
  expect(failureWords(failure('INVALID_ARGUMENT'))).toEqual({
    title: 'Eine Angabe ist ungültig.',
    told: 'The displayName is too long.',
  });
  expect(failureText(failure('NEWER_THAN_THE_PAGE'))).toBe('Das hat nicht geklappt. The displayName is too long.');
});
