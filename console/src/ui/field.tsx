import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface LabelledProps {
  label: string;
  /** A sentence below: what it means, in which unit, up to what. */
  help?: ComponentChildren;
  /** Why what was typed cannot be. */
  error?: string | undefined;
}

export type FieldProps = LabelledProps &
  Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onInput' | 'label'> & {
    value: string;
    onValue: (value: string) => void;
    /** What stands before the input, such as `$`. */
    before?: ComponentChildren;
    /** What stands behind it. */
    after?: ComponentChildren;
  };

/** One line of text with its label, help and error. */
export function Field({ label, help, error, before, after, value, onValue, ...rest }: FieldProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} help={help} error={error}>
      <span class="input">
        {before !== undefined && <span class="muted">{before}</span>}
        <input
          {...rest}
          {...described(id, help, error)}
          id={id}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
        {after !== undefined && <span class="muted">{after}</span>}
      </span>
    </Labelled>
  );
}

type TextAreaProps = LabelledProps &
  Omit<JSX.HTMLAttributes<HTMLTextAreaElement>, 'onInput' | 'label'> & {
    value: string;
    onValue: (value: string) => void;
    rows?: number;
    maxLength?: number;
    required?: boolean;
  };

/** Several lines of text. */
export function TextArea({ label, help, error, value, onValue, ...rest }: TextAreaProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} help={help} error={error}>
      <textarea
        {...rest}
        {...described(id, help, error)}
        id={id}
        class="input"
        value={value}
        onInput={(event) => onValue(event.currentTarget.value)}
      />
    </Labelled>
  );
}

export interface Option {
  value: string;
  label: string;
  /** Of the label, where it is not the page's language. */
  lang?: string;
}

interface SelectProps extends LabelledProps {
  value: string;
  options: readonly Option[];
  onValue: (value: string) => void;
  disabled?: boolean;
  /** Whether the label is read, not seen: where the choice says what it is. */
  quiet?: boolean;
}

/** The browser's own select. */
export function Select({ label, help, error, value, options, onValue, disabled = false, quiet = false }: SelectProps) {
  const id = useId();
  return (
    <Labelled id={id} label={label} help={help} error={error} quiet={quiet}>
      <select
        {...described(id, help, error)}
        id={id}
        class="input"
        value={value}
        disabled={disabled}
        onChange={(event) => onValue(event.currentTarget.value)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} lang={option.lang} selected={option.value === value}>
            {option.label}
          </option>
        ))}
      </select>
    </Labelled>
  );
}

function Labelled(props: LabelledProps & { id: string; quiet?: boolean; children: ComponentChildren }) {
  const { id, label, help, error, quiet = false, children } = props;
  return (
    <div class="field">
      <label for={id} class={quiet ? 'read-only' : ''}>
        {label}
      </label>
      {children}
      {help !== undefined && (
        <p id={`${id}-help`} class="help">
          {help}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  );
}

function described(id: string, help: ComponentChildren, error: string | undefined) {
  const by = [help !== undefined && `${id}-help`, error !== undefined && `${id}-error`].filter(Boolean).join(' ');
  return { ...(by !== '' && { 'aria-describedby': by }), ...(error !== undefined && { 'aria-invalid': true }) };
}
