export default {
  title: 'Payments and credit',
} as const;
