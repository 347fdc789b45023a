import { locale, t } from '../i18n/index.ts';

interface TimeProps {
  /** As the API states it (RFC 3339); undefined: not happened yet. */
  at: string | undefined;
  /** `short`: the time if it is today, else the date. `full`: both. */
  as?: 'short' | 'full';
}

/** A time in the reader's time zone; in UTC on hover, which sums are based on. */
export function Time({ at, as = 'short' }: TimeProps) {
  if (at === undefined) return <span class="muted">–</span>;
  const time = new Date(at);
  return (
    <time dateTime={at} title={`${time.toISOString().replace('T', ' ').slice(0, 19)} ${t('common.utc')}`}>
      {timeText(time, as)}
    </time>
  );
}

/** A time as text, in the reader's time zone. */
export function timeText(time: Date, as: 'short' | 'full' = 'short', now = new Date()): string {
  const today = time.toDateString() === now.toDateString();
  const sameYear = time.getFullYear() === now.getFullYear();
  return new Intl.DateTimeFormat(locale(), {
    ...((as === 'full' || !today) && { day: 'numeric', month: 'short' }),
    ...((as === 'full' || !sameYear) && { year: 'numeric' }),
    hour: '2-digit',
    minute: '2-digit',
    ...((as === 'full' || today) && { second: '2-digit' }),
  }).format(time);
}
