import type { Translated } from '../texts.ts';

export default {
  title: 'Protokoll',
  lead: 'Wer was getan hat. Jede Zeile wurde zusammen mit dem geschrieben, wovon sie berichtet, und keine wird je geändert.',
  account: 'Konto',
  actor: 'Wer',
  actorHelp: 'operator:name oder die ID eines Schlüssels',
  action: 'Was',
  events: 'Wer was getan hat',
  ledger: 'Prüfung des Hauptbuchs',
  ledgerHelp:
    'Jede Regel der Buchführung, über alle Zeilen, zum selben Zeitpunkt. Sie sperrt nichts und braucht eine Weile, wo es viel gibt.',
  never: 'Von hier aus wurde das Hauptbuch noch nie geprüft.',
  run: 'Prüfung starten',
  running: 'Die Prüfung läuft: {done} von {rules} Regeln sind geprüft.',
  failed:
    'Die Prüfung vom {time} wurde nicht beendet: {done} von {rules} Regeln waren geprüft. Starten Sie sie erneut.',
  sound: 'Das Hauptbuch ist in Ordnung: {rules} Regeln gelten. {time}, durch {actor}.',
  broken: {
    one: '{count} Verstoß, gefunden am {time}.',
    other: '{count} Verstöße, gefunden am {time}.',
  },
  violations: 'Was nicht stimmt',
  rule: 'Regel',
  subject: 'Bei',
  detail: 'Zahlen',
} satisfies Translated<'operator-audit'>;
