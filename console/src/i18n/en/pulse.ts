export default {
  title: 'Pulse',
} as const;
