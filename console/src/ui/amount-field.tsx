import { isSignFirst } from '../money.ts';
import { Field, type FieldProps } from './field.tsx';

type AmountFieldProps = Omit<FieldProps, 'before' | 'after' | 'inputMode' | 'autocomplete'>;

/** An amount in USD, with the sign where the language puts it. Input is parsed by `typedUsd`. */
export function AmountField(props: AmountFieldProps) {
  const side = isSignFirst() ? { before: '$' } : { after: '$' };
  return <Field maxLength={19} {...props} {...side} inputMode="decimal" autocomplete="off" />;
}
