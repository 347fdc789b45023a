export default {
  title: 'Sign in',
  lead: 'See what is left, what it was spent on, and what to do next.',
  owner: 'Account',
  operator: 'Operator',
  key: 'Management key',
  keyHelp: 'It begins with {prefix} and was shown once, when the account was created. API keys do not work here.',
  token: 'Operator token',
  tokenHelp: 'The OPERATOR_TOKEN of the service, or one of operatorTokens in its settings.',
  submit: 'Sign in',
  safe: 'The key is exchanged for a session and is not kept in this browser. The session ends after an hour without use.',
  safeOperator:
    'The token is exchanged for a session and is not kept in this browser. The session ends after 15 minutes without use.',
  tokenUnknown: 'The token is unknown. Check that you copied all of it, and that it belongs to this service.',
  otherKind:
    'This is a key for programs, and cannot sign in. Use the management key of the account, which begins with ik_mgmt_.',
  signingIn: 'Signing in with the link …',
  passkeyElsewhere: 'Passkeys work at {address}, not at this one: browsers tie them to a name.',
  show: 'Show',
  hide: 'Hide',
} as const;
