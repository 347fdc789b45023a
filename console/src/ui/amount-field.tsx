import { isSignFirst } from '../money.ts';
import { Field, type FieldProps } from './field.tsx';

type AmountFieldProps = Omit<FieldProps, 'before' | 'after' | 'inputMode' | 'autocomplete'>;

/** An amount in USD, with the sign where the language has it. What is typed is read by `typedUsd`. */
export function AmountField(props: AmountFieldProps) {
  const side = isSignFirst() ? { before: '$' } : { after: '$' };
  return <Field maxLength={19} {...props} {...side} inputMode="decimal" autocomplete="off" />;
}
