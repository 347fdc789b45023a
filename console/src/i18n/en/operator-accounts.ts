export default {
  title: 'Accounts',
} as const;
