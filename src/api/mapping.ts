import { type Timestamp, timestampFromMs } from '@bufbuild/protobuf/wkt';
import { FailureError, invalid } from '../base/failure.ts';
import { type NanoUsd, parseUsd } from '../base/money.ts';

/** A time in milliseconds since the epoch as a message; absent stays absent. */
export function timestamp(ms: number | undefined): Timestamp | undefined {
  return ms === undefined ? undefined : timestampFromMs(ms);
}

/**
 * A message's time in milliseconds since the epoch; absent stays absent. A finer time is rounded up: what is listed shows whole
 * milliseconds, and so those that are before this time, and those that are not, stay what they are.
 */
export function milliseconds(time: Timestamp | undefined): number | undefined {
  return time === undefined ? undefined : Number(time.seconds) * 1_000 + Math.ceil(time.nanos / 1_000_000);
}

/** An amount stated by a request. Refuses anything but an exact decimal amount, naming the field. */
export function amountOf(text: string, field: string): NanoUsd {
  const amount = parseUsd(text);
  if (amount === undefined)
    throw new FailureError(
      invalid(field, 'must be a decimal amount of USD with at most nine decimals, in quotes, such as "5.00"'),
    );
  return amount;
}
