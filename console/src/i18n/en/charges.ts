export default {
  title: 'Charges',
} as const;
