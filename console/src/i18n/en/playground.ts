export default {
  title: 'Playground',
} as const;
