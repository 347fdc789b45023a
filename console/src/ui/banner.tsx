import type { ComponentChildren } from 'preact';

interface BannerProps {
  kind?: 'info' | 'warning' | 'danger' | 'good';
  title: ComponentChildren;
  children?: ComponentChildren;
  action?: ComponentChildren;
}

/** What one has to know now. The kind is said by words and a mark, never by its colour alone. */
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
