export default {
  title: 'Health',
} as const;
