export default {
  title: 'Devices',
} as const;
