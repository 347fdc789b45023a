import type { Translated } from '../texts.ts';

export default {
  title: 'Passkeys',
  help: 'Mit ihnen melden Sie sich per Fingerabdruck, Gesicht oder PIN an statt mit dem Schlüssel. Der Schlüssel gilt weiterhin. Ein Passkey endet mit seinem Schlüssel: Wird dieser erneuert oder widerrufen, fügen Sie den Passkey neu hinzu.',
  none: 'Es gibt noch keinen Passkey.',
  add: 'Passkey hinzufügen',
  addTitle: 'Passkey hinzufügen',
  addHelp:
    'Ihr Browser fragt nach diesem Gerät, einem Telefon oder einem Sicherheitsschlüssel. Hier wird nur der öffentliche Schlüssel des Passkeys gespeichert.',
  addDo: 'Weiter',
  added: 'Der Passkey {name} ist hinzugefügt.',
  name: 'Name',
  nameHelp: 'Daran erkennen Sie ihn wieder.',
  ofKey: 'Zum Schlüssel von',
  where: 'Wo er ist',
  oneDevice: 'Auf einem Gerät',
  manyDevices: 'Synchronisiert',
  made: 'Hinzugefügt',
  used: 'Zuletzt genutzt',
  never: 'nie',
  actions: 'Aktionen',
  remove: 'Entfernen',
  removeTitle: 'Passkey {name} entfernen?',
  removeHelp:
    'Mit ihm kann sich dann niemand mehr anmelden, und Sitzungen, die mit ihm begannen, enden sofort. Ihr Gerät bietet ihn vielleicht weiter an, bis Sie ihn auch dort löschen.',
  removed: 'Der Passkey {name} ist entfernt.',
  elsewhere:
    'Passkeys funktionieren unter {address}, nicht unter dieser Adresse: Browser binden sie an einen Domainnamen.',
  nowhere:
    'An der Adresse dieses Dienstes bieten Browser keine Passkeys an: Sie verlangen HTTPS und einen Domainnamen statt einer IP-Adresse.',
  oldBrowser: 'Dieser Browser kennt keine Passkeys oder ist zu alt. Melden Sie sich mit dem Schlüssel an.',
} satisfies Translated<'passkeys'>;
