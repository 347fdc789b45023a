import type { UseQueryResult } from '@tanstack/preact-query';
import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApiFailure } from '../api.ts';
import { t } from '../i18n/index.ts';
import { isSomebodyHere } from '../presence.ts';
import { Button } from './button.tsx';
import { failureWords } from './failure-words.ts';

interface AsyncProps<Data> {
  query: Pick<UseQueryResult<Data, ApiFailure>, 'data' | 'error' | 'refetch' | 'isFetching'>;
  /** Expected height of the content, in lines of text, so that the page does not jump when it arrives. */
  lines?: number;
  /** Whether there is nothing to show. */
  isEmpty?: (data: Data) => boolean;
  /** What to show when it is empty: the next step. */
  empty?: ComponentChildren;
  children: (data: Data) => ComponentChildren;
}

/** A query's state: a skeleton, then its data, or why there is none. Loaded data stays while it is refetched. */
export function Async<Data>({ query, lines = 3, isEmpty, empty, children }: AsyncProps<Data>) {
  const { data, error } = query;
  if (data === undefined && error) return <Failure failure={error} retry={() => void query.refetch()} />;
  if (data === undefined) return <Skeleton lines={lines} />;
  return (
    <>
      {error && <Failure failure={error} retry={() => void query.refetch()} />}
      {isEmpty?.(data) ? (empty ?? <p class="empty">{t('common.empty')}</p>) : children(data)}
    </>
  );
}

/** Reserves the space of loading content. */
export function Skeleton({ lines }: { lines: number }) {
  return (
    <div class="skeleton" role="status" aria-label={t('common.loading')}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}

interface FailureProps {
  failure: ApiFailure;
  /** A better title than the reason's, if more is known. */
  title?: string | undefined;
  /** Retries. If the service was away, it is called automatically after a while. */
  retry?: () => void;
}

/** What failed, in words, and what to do. */
export function Failure({ failure, title, retry }: FailureProps) {
  const seconds = useCountdown(failure, retry);
  const words = failureWords(failure);
  return (
    <div class="banner danger" role="alert">
      <div>
        <strong>{title ?? words.title}</strong>
        {words.told !== undefined && <p lang="en">{words.told}</p>}
        {failure.violations.length > 0 && (
          <ul lang="en">
            {failure.violations.map(({ field, description }) => (
              <li key={field}>
                <code>{field}</code> {description}
              </li>
            ))}
          </ul>
        )}
        {seconds !== undefined && <p>{t('common.retryIn', { count: seconds })}</p>}
        {failure.requestId && <p class="muted small">{t('common.requestId', { id: failure.requestId })}</p>}
      </div>
      {retry && <Button onClick={retry}>{t('common.retry')}</Button>}
    </div>
  );
}

const pauses = [5, 10, 20, 40, 60];

/** Seconds until the next retry, if one makes sense. */
function useCountdown(failure: ApiFailure, retry: (() => void) | undefined): number | undefined {
  const [tries, setTries] = useState(0);
  const [seconds, setSeconds] = useState<number>();
  const waits = failure.code === 'UNAVAILABLE' && retry !== undefined;
  useEffect(() => {
    if (!waits) return setSeconds(undefined);
    let left = failure.retryAfterSeconds ?? pauses[Math.min(tries, pauses.length - 1)] ?? 60;
    setSeconds(left);
    const timer = setInterval(() => {
      left = Math.max(0, left - 1);
      setSeconds(left);
      if (left > 0 || !isSomebodyHere()) return;
      clearInterval(timer);
      setTries(tries + 1);
      retry?.();
    }, 1_000);
    return () => clearInterval(timer);
  }, [failure]);
  return seconds;
}
