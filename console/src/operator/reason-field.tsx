import { loadTexts, t } from '../i18n/index.ts';
import { Field } from '../ui/index.ts';

await loadTexts('operator');

/** Why something is done, for the record. Each write of an operator has one. */
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
