export default {
  title: 'Sign-ins',
  lead: 'Your passkeys, and where you are signed in.',
  passkeysHelp:
    'Sign in with a fingerprint, a face or a PIN instead of the token. The token still works. A passkey ends with its token: once the token is replaced, add the passkey again.',
  sessionsHelp: 'A session ends after 15 minutes without use, after an hour in all, and with your token.',
} as const;
