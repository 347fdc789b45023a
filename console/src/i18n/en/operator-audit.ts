export default {
  title: 'Audit',
} as const;
