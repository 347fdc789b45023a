import type { Translated } from '../texts.ts';

export default {
  title: 'Team und Limits',
  lead: 'Wer dieses Konto verwaltet, wo diese Personen angemeldet sind und was der Dienst durchlässt.',
  keys: 'Verwaltungsschlüssel',
  keysHelp:
    'Einer für jede Person. Ein Verwaltungsschlüssel verwaltet das ganze Konto: Schlüssel, Guthaben, Nutzung. Chatten kann er nicht.',
  add: 'Person hinzufügen',
  addTitle: 'Verwaltungsschlüssel für eine Person erstellen',
  person: 'Name der Person',
  purpose: 'Wofür',
  purposeDefault: 'Verwaltet das Konto: Schlüssel, Guthaben und Nutzung.',
  addWarning: 'Wer ihn hat, kann das Guthaben ausgeben und andere aussperren.',
  added: 'Der Verwaltungsschlüssel von {name}',
  addedHelp:
    'Übergeben Sie ihn auf einem Weg, auf dem niemand mitliest, etwa mit einem Passwortmanager. Die Person meldet sich hier damit an.',
  you: 'Sie',
  last: 'Der letzte unbefristete Verwaltungsschlüssel kann nicht widerrufen werden. Fügen Sie vorher einen weiteren hinzu.',
  actions: 'Aktionen',
  sessions: 'Sitzungen',
  sessionsHelp:
    'Wo jemand an dieser Konsole angemeldet ist. Eine Sitzung endet nach einer Stunde ohne Nutzung und mit ihrem Schlüssel.',
  where: 'Browser',
  unknownBrowser: 'Ein Browser',
  withKey: 'Mit dem Schlüssel von',
  since: 'Angemeldet',
  seen: 'Zuletzt gesehen',
  until: 'Endet',
  current: 'diese',
  end: 'Beenden',
  ended: 'Die Sitzung ist beendet.',
  limits: 'Geltende Limits',
  limitsHelp:
    'Die des Kontos und die des Verwaltungsschlüssels, mit dem Sie angemeldet sind. API-Schlüssel zeigen ihre eigenen in den Einzelheiten.',
} satisfies Translated<'team'>;
