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
  /** What the text begins as. */
  initial: unknown;
  /** The request's field that the text is: the service names places in the request. */
  field: string;
  saveText: string;
  change: Pick<UseMutationResult<unknown, ApiFailure>, 'error' | 'isPending' | 'reset'>;
  /** Says better than its reason why the service refuses. */
  failureTitle?: string | undefined;
  onSave: (value: unknown) => void;
  onCancel: () => void;
}

/** A thing of the account's own, written as JSON. What the service finds wrong stands at its lines. */
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
