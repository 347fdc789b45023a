import type { Message, SentenceName, SentenceValues } from '../words/index.ts';

type FaultName = Extract<SentenceName, `field.${string}`>;
type Besides<Name extends FaultName> = Omit<SentenceValues<Name>, 'label'>;

/** What is wrong with a field's value, to be said with the field's label. */
export type Fault = (label: string) => Message;

/** A sentence about a field, with its values besides the field's label. */
export function fault<Name extends FaultName>(
  name: Name,
  ...[values]: [keyof Besides<Name>] extends [never] ? [] : [Besides<Name>]
): Fault {
  return (label) => ({ name, values: { ...values, label } });
}
