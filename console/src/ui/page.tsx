import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { t } from '../i18n/index.ts';

interface PageProps {
  title: string;
  /** One sentence below the title. */
  lead?: ComponentChildren;
  /** Buttons and selects beside the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

/** A page: its title takes the focus on arrival, so that a screen reader starts there. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  useEffect(() => {
    document.title = `${title} · ${t('common.product')}`;
  }, [title]);
  return (
    <>
      <header class="page-head">
        <div>
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p class="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

interface SectionProps {
  title: string;
  actions?: ComponentChildren;
  children: ComponentChildren;
  class?: string;
  /** Whether a phone shows only its heading until it is opened: for long, secondary content. */
  folds?: boolean;
}

const isPhone = (): boolean => matchMedia('(max-width: 760px)').matches;

/** A part of a page with its own heading. */
export function Section({ title, actions, children, class: className = '', folds = false }: SectionProps) {
  const [folded] = useState(() => folds && isPhone());
  if (folded)
    return (
      <section class={`card ${className}`}>
        <details class="fold">
          <summary>
            <h2>{title}</h2>
          </summary>
          {actions !== undefined && <div class="actions">{actions}</div>}
          {children}
        </details>
      </section>
    );
  return (
    <section class={`card ${className}`}>
      <header class="card-head">
        <h2>{title}</h2>
        {actions !== undefined && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
