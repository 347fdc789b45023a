import type { Translated } from '../texts.ts';

export default {
  paysWith: 'Bezahlt mit',
  paysWithHelp:
    'Bezahlt wird über ein Token, das {count} Minuten gilt und höchstens {amount} ausgibt. Der Schlüssel selbst ist nicht in diesem Browser.',
  noPayingKey: 'Es gibt keinen API-Schlüssel, der das bezahlen kann.',
  noPayingKeyHelp: 'Erstellen Sie einen. Was Sie hier ausprobieren, wird über ihn abgebucht.',
  makeKey: 'API-Schlüssel erstellen',
} satisfies Translated<'paying'>;
