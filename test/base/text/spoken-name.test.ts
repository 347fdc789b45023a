import { expect, it } from 'vitest';
import { spokenLabel, spokenName } from '../../../src/base/text/spoken-name.ts';

it.each([
  ['taxesPaid', 'taxes paid', 'Taxes paid'],
  ['cash_ratio', 'cash ratio', 'Cash ratio'],
  ['costInEUR', 'cost in EUR', 'Cost in EUR'],
  ['VATNumber', 'VAT number', 'VAT number'],
  ['debtToEquity2024', 'debt to equity 2024', 'Debt to equity 2024'],
  ['price', 'price', 'price'],
  ['IBAN', 'IBAN', 'IBAN'],
  ['iPhone', 'iPhone', 'iPhone'],
  ['GmbH', 'GmbH', 'GmbH'],
  ['lead time (days)', 'lead time (days)', 'lead time (days)'],
  ['', '', ''],
])('a field called %s is said as people say it', (name, spoken, label) => {
  expect(spokenName(name)).toBe(spoken);
  expect(spokenLabel(name)).toBe(label);
});
