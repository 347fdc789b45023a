export default {
  title: 'Workflows',
} as const;
