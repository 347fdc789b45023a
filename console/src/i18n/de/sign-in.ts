import type { Translated } from '../texts.ts';

export default {
  title: 'Anmelden',
  lead: 'Sehen Sie, was übrig ist, wofür es ausgegeben wurde und was als Nächstes zu tun ist.',
  owner: 'Konto',
  operator: 'Betreiber',
  key: 'Verwaltungsschlüssel',
  keyHelp:
    'Er beginnt mit {prefix} und wurde beim Anlegen des Kontos einmal angezeigt. API-Schlüssel funktionieren hier nicht.',
  token: 'Betreiber-Token',
  tokenHelp: 'Das OPERATOR_TOKEN des Dienstes oder eines der operatorTokens aus seinen Einstellungen.',
  submit: 'Anmelden',
  safe: 'Der Schlüssel wird gegen eine Sitzung getauscht und nicht in diesem Browser aufbewahrt. Die Sitzung endet, wenn sie eine Stunde lang nicht genutzt wird.',
  safeOperator:
    'Das Token wird gegen eine Sitzung getauscht und nicht in diesem Browser aufbewahrt. Die Sitzung endet, wenn sie 15 Minuten lang nicht genutzt wird.',
  tokenUnknown:
    'Dieses Token ist hier nicht bekannt. Prüfen Sie, ob es vollständig kopiert ist und zu diesem Dienst gehört.',
  otherKind:
    'Dieser Schlüssel ist für Programme; damit kann sich niemand anmelden. Verwenden Sie den Verwaltungsschlüssel des Kontos: Er beginnt mit ik_mgmt_.',
  signingIn: 'Anmeldung mit dem Link …',
  passkeyElsewhere:
    'Passkeys funktionieren unter {address}, nicht unter dieser Adresse: Browser binden sie an einen Domainnamen.',
  show: 'Anzeigen',
  hide: 'Verbergen',
} satisfies Translated<'sign-in'>;
