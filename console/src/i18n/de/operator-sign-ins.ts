import type { Translated } from '../texts.ts';

export default {
  title: 'Anmeldungen',
  lead: 'Ihre Passkeys, und wo Sie angemeldet sind.',
  passkeysHelp:
    'Mit ihnen melden Sie sich per Fingerabdruck, Gesicht oder PIN an statt mit dem Token. Das Token gilt weiterhin. Ein Passkey endet mit ihm: Wird es ersetzt, fügen Sie den Passkey neu hinzu.',
  sessionsHelp: 'Eine Sitzung endet nach 15 Minuten ohne Nutzung, spätestens nach einer Stunde, und mit Ihrem Token.',
} satisfies Translated<'operator-sign-ins'>;
