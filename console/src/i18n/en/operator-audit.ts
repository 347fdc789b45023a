export default {
  title: 'Audit',
  lead: 'Who did what. Each line was written with what it tells of, and none is ever changed.',
  account: 'Account',
  actor: 'Who',
  actorHelp: 'operator:name, or the id of a key',
  action: 'What',
  events: 'Who did what',
} as const;
