export default {
  title: 'Webhooks',
} as const;
