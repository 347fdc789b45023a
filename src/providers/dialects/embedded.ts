import { type Dialect, withoutReasoning } from './dialect.ts';

/** The embedded model, which only quotes. */
export const embedded: Dialect = {
  namespace: 'builtin',
  lacks: (setting) => (setting === 'stop' ? undefined : 'The embedded model has no such setting.'),
  thinks: () => false,
  reasoning: (_model, wish) => ({ options: {}, unsupported: withoutReasoning(wish) }),
  state: {},
};
