import type { ComponentChildren } from 'preact';

interface BannerProps {
  kind?: 'info' | 'warning' | 'danger' | 'good';
  title: ComponentChildren;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

/** Something to know now. The kind is shown by words and a mark, never only by its colour. */
export function Banner({ kind = 'info', title, children, action }: BannerProps) {
  return (
    <div class={`banner ${kind}`} role={kind === 'danger' ? 'alert' : 'status'}>
      <div>
        <strong>{title}</strong>
        {children !== undefined && <p>{children}</p>}
      </div>
      {action}
    </div>
  );
}

/** A state in a word: `active`, `settled`. */
export function Badge({
  kind = 'info',
  children,
}: {
  kind?: BannerProps['kind'] | 'plain';
  children: ComponentChildren;
}) {
  return <span class={`badge ${kind}`}>{children}</span>;
}
