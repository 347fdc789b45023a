export default {
  title: 'Credit',
} as const;
