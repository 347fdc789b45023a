import { maxAmountNanoUsd, type NanoUsd } from '../base/money.ts';
import type { HoldRequest, Outcome, Usage } from './ledger/ledger.ts';

/** Rejects what no caller of this room may request. Such requests are bugs, so they throw before anything is queued. */
export function checkHold(request: Readonly<HoldRequest>): void {
  checkAmount('minimum', request.minimum);
  checkAmount('ceiling', request.ceiling);
  if (request.ceiling < request.minimum) throw new RangeError('The ceiling of a hold is below its minimum.');
  checkText('operation', request.operation, 200);
  checkText('keyId', request.keyId, 40);
  if (request.tokenId !== undefined) checkText('tokenId', request.tokenId, 80);
  if (request.deviceId !== undefined) checkText('deviceId', request.deviceId, 40);
  if (request.subject !== undefined) checkText('subject', request.subject, 255);
  if (request.provider !== undefined) checkText('provider', request.provider, 100);
  if (request.model !== undefined) checkText('model', request.model, 200);
  if (request.providerKeyId !== undefined) checkText('providerKeyId', request.providerKeyId, 40);
  if (request.requestId !== undefined) checkText('requestId', request.requestId, 128);
  checkCount('keyVersion', request.keyVersion);
  checkCount('priceVersion', request.priceVersion);
  const { idempotency, caps = [], metadata, ttlMs } = request;
  if (idempotency) {
    checkText('idempotency.scope', idempotency.scope, 255);
    checkText('idempotency.key', idempotency.key, 255);
    if (idempotency.fingerprint.length === 0 || idempotency.fingerprint.length > 32)
      throw new RangeError('A fingerprint is 1 to 32 bytes.');
  }
  if (caps.length > capsMax) throw new RangeError(`A hold has at most ${capsMax} caps.`);
  for (const { owner, limit } of caps) {
    checkText('caps.owner', owner, 255);
    if (limit < 0n || limit > maxAmountNanoUsd) throw new RangeError('The limit of a cap is out of range.');
  }
  if (new Set(caps.map(({ owner }) => owner)).size < caps.length) throw new RangeError('Two caps have one owner.');
  if (metadata) checkMetadata(metadata);
  if (ttlMs !== undefined && !(Number.isInteger(ttlMs) && ttlMs > 0 && ttlMs <= ttlMaxMs))
    throw new RangeError(`A hold lasts 1 to ${ttlMaxMs} ms.`);
}

/** The most bytes kept of what a charge's work found. */
export const evidenceBytesMax = 8_192;

/** For the key, the end user and the device. */
const capsMax = 3;
const metadataMax = { pairs: 16, name: 64, value: 512 };
const ttlMaxMs = 24 * 3_600_000;

/** Any encodable characters are allowed: unencodable ones could make two names equal. */
function checkMetadata(metadata: Readonly<Record<string, string>>): void {
  const pairs = Object.entries(metadata);
  if (pairs.length > metadataMax.pairs) throw new RangeError(`A charge has at most ${metadataMax.pairs} labels.`);
  for (const [name, value] of pairs) {
    if (name === '' || isLonger(name, metadataMax.name) || !name.isWellFormed())
      throw new RangeError(`The name of a label is 1 to ${metadataMax.name} characters.`);
    if (isLonger(value, metadataMax.value) || !value.isWellFormed())
      throw new RangeError(`The value of a label is at most ${metadataMax.value} characters.`);
  }
}

/** Whether a text has more characters (code points, as the protocol counts them) than it may have. */
function isLonger(text: string, max: number): boolean {
  return text.length > max && (text.length > 2 * max || [...text].length > max);
}

export function checkAmount(name: string, amount: NanoUsd): void {
  if (amount < 1n || amount > maxAmountNanoUsd) throw new RangeError(`${name} is out of range: ${amount}`);
}

export function checkUsage(usage: Readonly<Usage>): void {
  for (const count of Object.values(usage)) if (typeof count === 'number') checkCount('usage', count);
}

export function checkOutcome({ finishReason, ...counts }: Readonly<Outcome>): void {
  if (finishReason !== undefined) checkText('finishReason', finishReason, 32);
  for (const count of Object.values(counts)) if (count !== undefined) checkCount('outcome', count);
}

function checkCount(name: string, count: number): void {
  if (!Number.isSafeInteger(count) || count < 0) throw new RangeError(`${name} is not a count: ${count}`);
}

/** 1 to `bytesMax` bytes without control characters. */
export function checkText(name: string, text: string, bytesMax: number): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused.
  if (text === '' || Buffer.byteLength(text) > bytesMax || /[\u0000-\u001f\u007f]/.test(text))
    throw new RangeError(`${name} must be 1 to ${bytesMax} bytes without control characters.`);
}
