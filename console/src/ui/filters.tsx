import type { ComponentChildren } from 'preact';
import { useSearchParams } from 'wouter-preact';
import { t } from '../i18n/index.ts';
import { staying } from '../unsaved.ts';

/** Changes filters. While somebody types, single letters are not separate steps for Back. */
export type SetFilters<Names extends string> = (
  changes: Partial<Record<Names, string>>,
  how?: { typing?: boolean },
) => void;

/** The filters of a page, kept in its URL: a link shows what its sender saw, and Back takes one step. */
export function useFilters<Names extends string>(
  defaults: Readonly<Record<Names, string>>,
): [values: Record<Names, string>, set: SetFilters<Names>] {
  const [params, setParams] = useSearchParams();
  const names = Object.keys(defaults) as Names[];
  const values = Object.fromEntries(names.map((name) => [name, params.get(name) ?? defaults[name]])) as Record<
    Names,
    string
  >;
  const set: SetFilters<Names> = (changes, { typing = false } = {}) => {
    staying(() => {
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          for (const name of names) {
            const value = changes[name];
            if (value === undefined) continue;
            if (value === defaults[name]) next.delete(name);
            else next.set(name, value);
          }
          return next;
        },
        { replace: typing },
      );
    });
  };
  return [values, set];
}

/** Selects and fields in a row, which wraps. */
export function Filters({ label, children }: { label: string; children: ComponentChildren }) {
  return (
    <fieldset class="filters">
      <legend class="read-only">{label}</legend>
      {children}
    </fieldset>
  );
}

/** An active filter, with a button that removes it. */
export function FilterChip({ name, onRemove }: { name: string; onRemove: () => void }) {
  return (
    <button type="button" class="chip" aria-label={t('common.filterRemove', { name })} onClick={onRemove}>
      {name} <span aria-hidden="true">×</span>
    </button>
  );
}
