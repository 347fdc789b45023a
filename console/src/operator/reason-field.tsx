import { loadTexts, t } from '../i18n/index.ts';
import { Field } from '../ui/index.ts';

await loadTexts('operator');

/** The reason for an action, for the record. Every operator write has one. */
export function ReasonField({ value, onValue }: { value: string; onValue: (value: string) => void }) {
  return (
    <Field
      label={t('operator.reason')}
      help={t('operator.reasonHelp')}
      required
      maxLength={200}
      value={value}
      onValue={onValue}
    />
  );
}
