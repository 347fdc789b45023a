export default {
  title: 'Models and prices',
} as const;
