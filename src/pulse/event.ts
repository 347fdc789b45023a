/** One product event as sent by a customer, with nothing checked yet. */
export interface IncomingEvent {
  id: string;
  journey: string;
  step: string;
  kind: string;
  sessionId: string;
  userId: string;
  /** RFC 3339. */
  occurredAt: string;
  error?: { code: string; message: string };
  properties?: unknown;
}

export const kinds = ['entered', 'completed', 'left', 'error', 'custom'] as const;
export type EventKind = (typeof kinds)[number];

/** An event that passed all checks. */
export interface CheckedEvent {
  index: number;
  id: string;
  journey: string;
  step: string;
  kind: EventKind;
  sessionId: string;
  userId?: string;
  /** Milliseconds since the Unix epoch. */
  occurredMs: number;
  errorCode?: string;
  /** As received; which of them count depends on the account's declarations. */
  properties?: object;
  /** The error's message and the properties as JSON; undefined if there is neither. */
  detail?: string;
}

/** Why an event was rejected. The wording is part of the contract: programs compare it. */
export type RejectionReason =
  | 'id_invalid'
  | 'journey_invalid'
  | 'step_invalid'
  | 'kind_unknown'
  | 'session_id_invalid'
  | 'user_id_invalid'
  | 'occurred_at_invalid'
  | 'occurred_at_in_future'
  | 'occurred_at_too_old'
  | 'error_missing'
  | 'error_unexpected'
  | 'error_invalid'
  | 'properties_too_large'
  | 'too_many_journeys'
  | 'too_many_steps';

export interface Rejection {
  index: number;
  reason: RejectionReason;
  /** What is wrong and what to do about it, for people to read. */
  description: string;
}

/** How far a client's clock may be ahead of ours. */
export const aheadMaxMs = 10 * 60_000;

const idPattern = /^[\x21-\x7e]{1,64}$/;
const namePattern = /^[\p{L}\p{N}][\p{L}\p{M}\p{N} ._:/-]{0,63}$/u;
const codePattern = /^[\x21-\x7e]{1,64}$/;
const sessionLengthMax = 128;
const userLengthMax = 256;
const messageLengthMax = 1_000;
const propertiesBytesMax = 4_096;

/** The time span from which events are accepted. */
export interface Window {
  nowMs: number;
  /** Events that occurred before this may already have been counted and forgotten. */
  oldestMs: number;
}

/** Checks one event on its own, so that a bad one takes none of its neighbours down with it. */
export function checkEvent(event: IncomingEvent, index: number, window: Window): CheckedEvent | Rejection {
  const wrong = checkNames(event, index) ?? checkError(event, index);
  if (wrong) return wrong;
  const occurredMs = parseInstant(event.occurredAt);
  if (occurredMs === undefined) {
    return reject(index, 'occurred_at_invalid', 'occurredAt must be an RFC 3339 time such as 2026-05-01T10:00:00Z');
  }
  if (occurredMs > window.nowMs + aheadMaxMs) {
    return reject(index, 'occurred_at_in_future', "occurredAt is over 10 minutes ahead; set the sender's clock");
  }
  if (occurredMs < window.oldestMs) {
    const oldest = new Date(window.oldestMs).toISOString();
    return reject(index, 'occurred_at_too_old', `occurredAt is before ${oldest}, the oldest time that is still taken`);
  }
  const properties = event.properties === undefined ? undefined : JSON.stringify(event.properties);
  if (properties !== undefined && Buffer.byteLength(properties) > propertiesBytesMax) {
    return reject(index, 'properties_too_large', `properties are over ${propertiesBytesMax} bytes of JSON`);
  }
  const { id, journey, step, sessionId, userId, error } = event;
  const checked: CheckedEvent = { index, id, journey, step, kind: event.kind as EventKind, sessionId, occurredMs };
  if (userId !== '') checked.userId = userId;
  if (error) checked.errorCode = error.code;
  if (typeof event.properties === 'object' && event.properties !== null) checked.properties = event.properties;
  const detail = detailOf(error?.message, properties);
  if (detail !== undefined) checked.detail = detail;
  return checked;
}

/** Whether a text is allowed as the name of a journey or a step. */
export function isName(text: string): boolean {
  return namePattern.test(text);
}

const nameRule = 'must be 1 to 64 letters, digits, blanks or any of . _ : / - and begin with a letter or a digit';

function checkNames(event: IncomingEvent, index: number): Rejection | undefined {
  if (!idPattern.test(event.id)) {
    return reject(index, 'id_invalid', 'id must be 1 to 64 printable ASCII characters without blanks');
  }
  if (!isName(event.journey)) return reject(index, 'journey_invalid', `journey ${nameRule}`);
  if (!isName(event.step)) return reject(index, 'step_invalid', `step ${nameRule}`);
  if (!(kinds as readonly string[]).includes(event.kind)) {
    return reject(index, 'kind_unknown', `kind must be one of ${kinds.join(', ')}`);
  }
  if (!isText(event.sessionId, 1, sessionLengthMax)) {
    return reject(index, 'session_id_invalid', `sessionId must have 1 to ${sessionLengthMax} characters`);
  }
  if (!isText(event.userId, 0, userLengthMax)) {
    return reject(index, 'user_id_invalid', `userId must have at most ${userLengthMax} characters`);
  }
  return undefined;
}

function checkError(event: IncomingEvent, index: number): Rejection | undefined {
  if (!event.error) {
    if (event.kind !== 'error') return undefined;
    return reject(index, 'error_missing', 'an event of kind error needs error.code');
  }
  if (event.kind !== 'error') return reject(index, 'error_unexpected', 'error is for events of kind error alone');
  if (codePattern.test(event.error.code) && isText(event.error.message, 0, messageLengthMax)) return undefined;
  return reject(
    index,
    'error_invalid',
    `error.code must be 1 to 64 printable ASCII characters, error.message at most ${messageLengthMax} characters`,
  );
}

function isText(text: string, min: number, max: number): boolean {
  return text.length >= min && text.length <= max && text.isWellFormed();
}

/** `properties` is already JSON. */
function detailOf(message = '', properties?: string): string | undefined {
  if (message === '' && properties === undefined) return undefined;
  return `{"message":${JSON.stringify(message)},"properties":${properties ?? 'null'}}`;
}

function reject(index: number, reason: RejectionReason, description: string): Rejection {
  return { index, reason, description };
}

// Only what has no fixed place is captured: capturing each part takes three times as long.
const instant = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.(\d{1,9}))?(?:[Zz]|([+-])(\d\d):(\d\d))$/;

/**
 * Parses an RFC 3339 time into milliseconds since the Unix epoch, truncating finer fractions. Undefined for anything else: a
 * day that its month does not have, a leap second, a time without an offset.
 */
export function parseInstant(text: string): number | undefined {
  const match = instant.exec(text);
  if (!match) return undefined;
  const [, fraction = '', sign, offsetHour = '0', offsetMinute = '0'] = match;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)];
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  if (Number(offsetHour) > 23 || Number(offsetMinute) > 59) return undefined;
  // Date.UTC turns 31 February into 3 March, and the years 0 to 99 into 1900 to 1999.
  if (year < 1_000 || day < 1 || day > daysIn(month, year)) return undefined;
  const date = Date.UTC(year, month - 1, day, hour, minute, second);
  const offset = (Number(offsetHour) * 60 + Number(offsetMinute)) * 60_000 * (sign === '-' ? -1 : 1);
  return date + Number(fraction.slice(0, 3).padEnd(3, '0')) - offset;
}

function twoDigits(text: string, at: number): number {
  return (text.charCodeAt(at) - 48) * 10 + text.charCodeAt(at + 1) - 48;
}

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** 0 for a month that does not exist. */
function daysIn(month: number, year: number): number {
  const leap = month === 2 && year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return (monthDays[month - 1] ?? 0) + (leap ? 1 : 0);
}
