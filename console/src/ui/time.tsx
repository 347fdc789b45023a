import { locale, t } from '../i18n/index.ts';

interface TimeProps {
  /** As the API states it (RFC 3339); undefined: it has not happened. */
  at: string | undefined;
  /** `short`: the time of today, the date before. `full`: both. */
  as?: 'short' | 'full';
}

/** A moment, in the reader's own time; in UTC on hover, which is what sums go by. */
export function Time({ at, as = 'short' }: TimeProps) {
  if (at === undefined) return <span class="muted">–</span>;
  const time = new Date(at);
  return (
    <time dateTime={at} title={`${time.toISOString().replace('T', ' ').slice(0, 19)} ${t('common.utc')}`}>
      {timeText(time, as)}
    </time>
  );
}

/** A moment as text, in the reader's own time. */
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
