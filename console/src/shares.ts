import { formatNumber } from './i18n/index.ts';

/** A share from 0 to 1 in percent with one decimal; a dash if it is unknown. */
export function shareText(share: number | string | undefined): string {
  if (typeof share !== 'number') return '–';
  return formatNumber(share, { style: 'percent', maximumFractionDigits: 1 });
}

/** A difference of shares in percentage points, with its sign. */
export function pointsText(difference: number | string | undefined): string {
  if (typeof difference !== 'number') return '–';
  return signed(difference * 100, { maximumFractionDigits: 1 });
}

/** A change as a share of the earlier value, with its sign. */
export function changeText(change: number | string | undefined): string {
  if (typeof change !== 'number') return '–';
  return signed(change, { style: 'percent', maximumFractionDigits: 1 });
}

function signed(value: number, options: Intl.NumberFormatOptions): string {
  return formatNumber(value, { ...options, signDisplay: 'exceptZero' }).replace('-', '−');
}
