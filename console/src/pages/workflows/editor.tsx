import { useId } from 'preact/hooks';
import { findText, t } from '../../i18n/index.ts';
import { lineOf, placesOf } from './json-places.ts';

export interface Violation {
  field: string;
  description: string;
}

interface EditorProps {
  label: string;
  value: string;
  onValue: (text: string) => void;
  violations: readonly Violation[];
}

/** A JSON text with errors beside its lines: syntax errors at once, others after it was sent. */
export function JsonEditor({ label, value, onValue, violations }: EditorProps) {
  const id = useId();
  const count = value.split('\n').length;
  const notes = notesOf(value, violations);
  return (
    <div class="workflows-editor">
      <label for={id}>{label}</label>
      <div class="workflows-editor-box">
        <ol class="workflows-lines" aria-hidden="true">
          {Array.from({ length: count }, (_, index) => (
            <li key={index} class={notes.some(({ line }) => line === index + 1) ? 'wrong' : ''}>
              {index + 1}
            </li>
          ))}
        </ol>
        <textarea
          id={id}
          class="workflows-text"
          rows={count}
          spellcheck={false}
          autocapitalize="off"
          value={value}
          aria-describedby={`${id}-notes`}
          {...(notes.length > 0 && { 'aria-invalid': true })}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      </div>
      <ol id={`${id}-notes`} class="workflows-notes">
        {notes.map(({ line, field, text, lang }, index) => (
          <li key={index} data-line={line}>
            <button type="button" onClick={() => select(id, value, line)}>
              {t('workflows.line', { line })}
            </button>{' '}
            {field !== '' && <code>{field}</code>} <span lang={lang}>{text}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

interface Note {
  line: number;
  field: string;
  text: string;
  /** The service's messages are in English; the page's language when unset. */
  lang?: 'en';
}

function notesOf(value: string, violations: readonly Violation[]): Note[] {
  const { lines, problem } = placesOf(value);
  if (problem) return [{ line: problem.line, field: '', text: notJsonText(problem.expected) }];
  return violations
    .map(({ field, description }) => ({ line: lineOf(lines, field), field, text: description, lang: 'en' as const }))
    .sort((one, other) => one.line - other.line);
}

/** Puts the cursor on a line. */
function select(id: string, value: string, line: number): void {
  const area = document.getElementById(id);
  if (!(area instanceof HTMLTextAreaElement)) return;
  const before = value
    .split('\n')
    .slice(0, line - 1)
    .join('\n').length;
  const start = line === 1 ? 0 : before + 1;
  area.focus();
  area.setSelectionRange(start, start + (value.split('\n')[line - 1]?.length ?? 0));
}

function notJsonText(expected: string): string {
  return t('workflows.notJson', { expected: findText('workflows', `expected-${expected}`) ?? expected });
}
