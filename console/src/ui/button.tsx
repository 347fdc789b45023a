import type { ComponentChildren, JSX } from 'preact';

interface ButtonProps extends Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'type' | 'class'> {
  /** `primary` once on a page at most; `danger` for what cannot be taken back. */
  kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  type?: 'button' | 'submit';
  /** Whether what it started still runs: it cannot be pressed again. */
  busy?: boolean;
  disabled?: boolean;
  /** What it acts on, where each row has such a button: read after its text, which is then a plain one. */
  of?: string | undefined;
  children: ComponentChildren;
}

export function Button({ kind = 'plain', type = 'button', busy = false, disabled = false, of, ...rest }: ButtonProps) {
  return (
    <button
      {...(of !== undefined && { 'aria-label': `${rest.children}: ${of}` })}
      {...rest}
      type={type}
      class={`button ${kind}`}
      disabled={disabled || busy}
      aria-busy={busy}
    />
  );
}
