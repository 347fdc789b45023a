export default {
  paysWith: 'Paid with',
  paysWithHelp:
    'Paid through a token that lasts {count} minutes and spends at most {amount}. The key itself is not in this browser.',
  noPayingKey: 'There is no API key that can pay for this.',
  noPayingKeyHelp: 'Create one; requests made here are charged to it.',
  makeKey: 'Create an API key',
} as const;
