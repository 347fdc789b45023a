import type { ComponentChildren, JSX } from 'preact';

interface ButtonProps extends Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'type' | 'class'> {
  /** `primary` once on a page at most; `danger` for what cannot be taken back. */
  kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  type?: 'button' | 'submit';
  /** Whether what it started still runs: it cannot be pressed again. */
  busy?: boolean;
  disabled?: boolean;
  children: ComponentChildren;
}

export function Button({ kind = 'plain', type = 'button', busy = false, disabled = false, ...rest }: ButtonProps) {
  return <button {...rest} type={type} class={`button ${kind}`} disabled={disabled || busy} aria-busy={busy} />;
}
