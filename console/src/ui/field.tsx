import type { ComponentChildren, JSX } from 'preact';
import { useId } from 'preact/hooks';

interface LabelledProps {
  label: string;
  /** A sentence below: its meaning, unit and limits. */
  help?: ComponentChildren;
  /** Why the input is invalid. */
  error?: string | undefined;
}

export type FieldProps = LabelledProps &
  Omit<JSX.InputHTMLAttributes<HTMLInputElement>, 'onInput' | 'label'> & {
    value: string;
    onValue: (value: string) => void;
    /** Content before the input, such as `$`. */
    before?: ComponentChildren;
    /** Content after it. */
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
  /** The label's language, if it is not the page's. */
  lang?: string;
}

interface SelectProps extends LabelledProps {
  value: string;
  options: readonly Option[];
  onValue: (value: string) => void;
  disabled?: boolean;
  /** Whether the label is only for screen readers, because the choice says what it is. */
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
