import type { ComponentChildren, JSX } from 'preact';

interface ButtonProps extends Omit<JSX.HTMLAttributes<HTMLButtonElement>, 'type' | 'class'> {
  /** `primary`: at most once per page; `danger`: for irreversible actions. */
  kind?: 'primary' | 'plain' | 'danger' | 'quiet';
  type?: 'button' | 'submit';
  /** Whether its action is still running: it cannot be pressed again. */
  busy?: boolean;
  disabled?: boolean;
  /** What it acts on, if each row has such a button: read after its text, which must then be plain text. */
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
