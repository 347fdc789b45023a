import { expect, test } from 'vitest';
import { checkEvent, parseInstant } from '../../src/pulse/event.ts';
import { event, noon } from './support.ts';

const day = 86_400_000;
const window = { nowMs: noon, oldestMs: noon - 30 * day };

const bad: [name: string, fields: Parameters<typeof event>[0] & object, reason: string][] = [
  ['no id', { id: '' }, 'id_invalid'],
  ['an id of 65 characters', { id: 'x'.repeat(65) }, 'id_invalid'],
  ['an id with a blank', { id: 'a b' }, 'id_invalid'],
  ['an id with NUL', { id: 'a\0' }, 'id_invalid'],
  ['no journey', { journey: '' }, 'journey_invalid'],
  ['a journey of 65 letters', { journey: 'j'.repeat(65) }, 'journey_invalid'],
  ['a step with a line break', { step: 'a\nb' }, 'step_invalid'],
  ['an unknown kind', { kind: 'ENTERED' }, 'kind_unknown'],
  ['no session', { sessionId: '' }, 'session_id_invalid'],
  ['a session with half a surrogate pair', { sessionId: '\ud800' }, 'session_id_invalid'],
  ['a user id of 257 characters', { userId: 'u'.repeat(257) }, 'user_id_invalid'],
  ['a day that April does not have', { occurredAt: '2026-04-31T10:00:00Z' }, 'occurred_at_invalid'],
  ['a time without an offset', { occurredAt: '2026-05-01T10:00:00' }, 'occurred_at_invalid'],
  ['a time over 10 minutes ahead', { at: noon + 600_001 }, 'occurred_at_in_future'],
  ['a time before the retention', { at: noon - 30 * day - 1 }, 'occurred_at_too_old'],
  ['an error without error', { kind: 'error' }, 'error_missing'],
  ['error on another kind', { error: { code: 'E', message: '' } }, 'error_unexpected'],
  ['an error without code', { kind: 'error', error: { code: '', message: 'x' } }, 'error_invalid'],
  ['properties over 4,096 bytes', { properties: { text: 'é'.repeat(2_050) } }, 'properties_too_large'],
];

test.each(bad)('%s is refused with its own reason', (_, fields, reason) => {
  expect(checkEvent(event(fields), 3, window)).toMatchObject({ index: 3, reason });
});

const good: [name: string, fields: Parameters<typeof event>[0] & object][] = [
  ['an event just 10 minutes ahead', { at: noon + 600_000 }],
  ['an event as old as the retention', { at: noon - 30 * day }],
  ['a step in another script', { step: '写真 2' }],
  ['a session with an emoji', { sessionId: '🧭' }],
  ['an error with a message', { kind: 'error', error: { code: 'CARD_DECLINED', message: 'Declined' } }],
  ['properties', { properties: { a: [1, { b: null }] } }],
];

test.each(good)('%s is taken', (_, fields) => {
  expect(checkEvent(event(fields), 0, window)).not.toHaveProperty('reason');
});

test('times are read to the millisecond, with their offset', () => {
  expect(parseInstant('2026-05-01T14:00:00.123456789+02:00')).toBe(noon + 123);
  expect(parseInstant('2026-05-01t07:30:00.5-04:30')).toBe(noon + 500);
  expect(parseInstant('2024-02-29T00:00:00Z')).toBe(Date.UTC(2024, 1, 29));
  for (const text of ['2025-02-29T00:00:00Z', '0099-01-01T00:00:00Z', '2026-05-01T24:00:00Z', '2026-06-30T23:59:60Z'])
    expect(parseInstant(text)).toBeUndefined();
});
