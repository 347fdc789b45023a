export default {
  title: 'Usage and costs',
} as const;
