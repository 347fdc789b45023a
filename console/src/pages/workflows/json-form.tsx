import type { UseMutationResult } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import type { ApiFailure } from '../../api.ts';
import { t } from '../../i18n/index.ts';
import { Button, Failure } from '../../ui/index.ts';
import { mayLose, useUnsaved } from '../../unsaved.ts';
import { JsonEditor } from './editor.tsx';
import { placesOf } from './json-places.ts';

interface JsonFormProps {
  label: string;
  help: string;
  /** The initial value of the text. */
  initial: unknown;
  /** The request field that contains the text: the service reports places within the request. */
  field: string;
  saveText: string;
  change: Pick<UseMutationResult<unknown, ApiFailure>, 'error' | 'isPending' | 'reset'>;
  /** A better explanation than the reason's for why the service refuses. */
  failureTitle?: string | undefined;
  onSave: (value: unknown) => void;
  onCancel: () => void;
}

/** One of the account's own objects, written as JSON. Errors from the service appear at their lines. */
export function JsonForm(props: JsonFormProps) {
  const { label, help, initial, field, saveText, change, failureTitle, onSave, onCancel } = props;
  const [before] = useState(() => JSON.stringify(initial, null, 2));
  const [text, setText] = useState(before);
  const typed = text !== before;
  useUnsaved(typed);
  const inText = new RegExp(`^${field}\\.?`);
  const violations = (change.error?.violations ?? []).map((violation) => ({
    ...violation,
    field: violation.field.replace(inText, ''),
  }));
  return (
    <div class="form">
      <p class="muted">{help}</p>
      <JsonEditor
        label={label}
        value={text}
        violations={violations}
        onValue={(value) => {
          change.reset();
          setText(value);
        }}
      />
      {change.error && <Failure failure={{ ...change.error, violations: [] }} title={failureTitle} />}
      <div class="actions">
        <Button onClick={() => (!typed || mayLose()) && onCancel()}>{t('common.cancel')}</Button>
        <Button
          kind="primary"
          busy={change.isPending}
          disabled={placesOf(text).problem !== undefined}
          onClick={() => onSave(JSON.parse(text))}
        >
          {saveText}
        </Button>
      </div>
    </div>
  );
}
