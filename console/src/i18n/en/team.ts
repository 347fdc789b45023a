export default {
  title: 'Team and limits',
} as const;
