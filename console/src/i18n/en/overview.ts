export default {
  title: 'Overview',
} as const;
