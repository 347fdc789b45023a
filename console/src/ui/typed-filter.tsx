import { useEffect, useRef, useState } from 'preact/hooks';
import { Field } from './field.tsx';

interface TypedFilterProps {
  label: string;
  placeholder?: string;
  /** Its width in characters. */
  size?: number;
  value: string;
  onValue: (value: string) => void;
}

/** A typed filter: it applies at Enter, or when the field is left. */
export function TypedFilter({ label, placeholder = '', size = 14, value, onValue }: TypedFilterProps) {
  const [text, setText] = useState(value);
  const sent = useRef(value);
  useEffect(() => {
    setText(value);
    sent.current = value;
  }, [value]);
  const send = (): void => {
    if (text.trim() === sent.current) return;
    sent.current = text.trim();
    onValue(sent.current);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Field label={label} placeholder={placeholder} size={size} value={text} onValue={setText} onBlur={send} />
    </form>
  );
}
