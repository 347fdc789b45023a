export default {
  title: 'API keys',
} as const;
