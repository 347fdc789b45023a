import type { Series } from './geometry.ts';

export interface ChartProps {
  /** What is shown, and for which period: `Cost by model, 30 UTC days`. */
  label: string;
  kind?: 'bars' | 'lines';
  /** The names along the bottom, such as days; at most 800. */
  categories: readonly string[];
  /** At most 8; the pattern and the legend tell them apart, not the colour alone. */
  series: readonly (Series & { /** Each value as it is written, exact. */ texts: readonly string[] })[];
  /** An axis value as text. */
  tickText: (value: number) => string;
  /** The exact sum of each category over all series, if it makes sense. */
  totals?: readonly string[];
  height?: number;
}
