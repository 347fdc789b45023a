import type { PercentilesJson } from '../../../gen/intelligence/pulse/v1/report_pb';
import { formatNumber, t } from '../../i18n/index.ts';
import { Badge } from '../../ui/index.ts';

export { changeText, pointsText, shareText } from '../../shares.ts';

/** API counts are decimal strings. */
export function countOf(text: string | undefined): bigint {
  return text === undefined ? 0n : BigInt(text);
}

export function countText(text: string | undefined): string {
  return formatNumber(countOf(text));
}

/** A duration in the unit that needs few digits. */
export function secondsText(seconds: number | string | undefined): string {
  if (typeof seconds !== 'number') return '–';
  const [amount, unit] =
    seconds < 120
      ? ([seconds, 'second'] as const)
      : seconds < 7_200
        ? ([seconds / 60, 'minute'] as const)
        : ([seconds / 3_600, 'hour'] as const);
  return formatNumber(amount, {
    style: 'unit',
    unit,
    unitDisplay: 'narrow',
    maximumFractionDigits: amount < 10 ? 1 : 0,
  });
}

export function dwellText(dwell: PercentilesJson | undefined): string {
  return dwell ? `${secondsText(dwell.p50Seconds)} / ${secondsText(dwell.p90Seconds)}` : '–';
}

/** Shares of fewer sessions say little. */
const fewSessions = 30n;

export function isFew(sessions: string | undefined): boolean {
  return countOf(sessions) < fewSessions;
}

/** Marks a share that is based on few sessions. */
export function Few({ sessions }: { sessions: string | undefined }) {
  if (!isFew(sessions) || countOf(sessions) === 0n) return null;
  return (
    <span title={t('pulse.fewHelp')}>
      <Badge kind="plain">{t('pulse.few')}</Badge>
    </span>
  );
}

export interface Period {
  from: string;
  to: string;
}

const hourMs = 3_600_000;

/** The last `days` times 24 hours, until the end of the current hour: the same request throughout that hour. */
export function lastPeriod(days: number, now = Date.now()): Period {
  const to = Math.ceil(now / hourMs) * hourMs;
  return { from: new Date(to - days * 24 * hourMs).toISOString(), to: new Date(to).toISOString() };
}
