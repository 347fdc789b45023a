import { scaleBand, scaleLinear } from 'd3-scale';
import { line, stack, stackOffsetDiverging } from 'd3-shape';

export interface Series {
  id: string;
  label: string;
  /** One value per category, in order; for drawing, never for text. */
  values: readonly number[];
}

export interface Size {
  width: number;
  height: number;
}

/** Space around the drawing for the labels below, in pixels. Labels beside it take what their texts need. */
export const margin = { top: 8, end: 4, bottom: 22 };

/** Approximate maximum width of an axis character. */
const characterWidth = 7.5;

export interface Geometry {
  /** The categories' columns: where each begins, and how wide it is, gaps included. */
  columns: readonly { start: number; middle: number; width: number }[];
  bars: readonly { series: number; category: number; x: number; y: number; width: number; height: number }[];
  lines: readonly { series: number; path: string }[];
  /** Grid lines, each with its value as text. */
  ticks: readonly { value: number; text: string; y: number }[];
  /** Where the columns begin: right of the grid lines' texts. */
  start: number;
  /** The categories with a label below, as many as fit, with its position and which of its ends is there: none is cut off at the edge. */
  labels: readonly { category: number; x: number; anchor: 'middle' | 'end' }[];
}

/** The positions of everything in a chart: stacked bars, or a line for each series. */
export function geometryOf(
  kind: 'bars' | 'lines',
  count: number,
  series: readonly Series[],
  size: Size,
  tickText: (value: number) => string = String,
  /** Length of the longest name below, in characters. */
  nameLength = 0,
): Geometry {
  const stacked = stacksOf(kind, count, series);
  const y = scaleLinear(domainOf(stacked.flat(2)), [size.height - margin.bottom, margin.top]).nice(4);
  const ticks = y.ticks(4).map((value) => ({ value, text: tickText(value), y: y(value) }));
  const start = Math.ceil(Math.max(...ticks.map(({ text }) => text.length)) * characterWidth) + 12;
  const labelWidth = Math.max(labelWidthMin, Math.ceil(nameLength * characterWidth) + 12);
  const x = scaleBand<number>(range(count), [start, Math.max(start + 1, size.width - margin.end)]);
  x.paddingInner(count > 60 ? 0.1 : 0.25).paddingOuter(0.1);
  const columns = range(count).map((category) => ({
    start: (x(category) ?? 0) - (x.step() - x.bandwidth()) / 2,
    middle: (x(category) ?? 0) + x.bandwidth() / 2,
    width: x.step(),
  }));
  return {
    columns,
    bars: kind === 'bars' ? barsOf(stacked, (category) => x(category) ?? 0, x.bandwidth(), y) : [],
    lines: kind === 'lines' ? linesOf(series, columns, y) : [],
    ticks,
    start,
    labels: labelledOf(count, size.width - start - margin.end, labelWidth).map((category) => {
      const x = columns[category]?.middle ?? 0;
      const isCut = x + labelWidth / 2 > size.width;
      return { category, x: isCut ? size.width - 1 : x, anchor: isCut ? 'end' : 'middle' } as const;
    }),
  };
}

type Stack = readonly (readonly [number, number])[];

function stacksOf(kind: 'bars' | 'lines', count: number, series: readonly Series[]): readonly Stack[] {
  if (kind === 'lines') return series.map(({ values }) => values.map((value) => [0, value] as const));
  const layers = stack<unknown, number, number>()
    .keys(range(series.length))
    .value((category, each) => series[each]?.values[category] ?? 0)
    .offset(stackOffsetDiverging)(range(count));
  return layers.map((layer) => layer.map(([from, to]) => [from, to] as const));
}

function domainOf(values: readonly number[]): [number, number] {
  const least = Math.min(0, ...values);
  const most = Math.max(0, ...values);
  return least === most ? [0, 1] : [least, most];
}

function barsOf(
  stacked: readonly Stack[],
  x: (category: number) => number,
  width: number,
  y: (value: number) => number,
): Geometry['bars'] {
  return stacked.flatMap((layer, series) =>
    layer.flatMap(([from, to], category) => {
      if (from === to) return [];
      // Any value is visible: a bar is at least a pixel high.
      const height = Math.max(1, Math.abs(y(from) - y(to)));
      return [{ series, category, x: x(category), y: Math.min(y(from), y(to)), width, height }];
    }),
  );
}

function linesOf(series: readonly Series[], columns: Geometry['columns'], y: (value: number) => number) {
  const draw = line<number>(
    (_, index) => columns[index]?.middle ?? 0,
    (value) => y(value),
  );
  return series.map(({ values }, index) => ({ series: index, path: draw([...values]) ?? '' }));
}

/** Minimum space for a name below: days are no closer. */
const labelWidthMin = 64;

function labelledOf(count: number, width: number, labelWidth: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, Math.floor(width / labelWidth))));
  return range(count).filter((category) => category % every === 0);
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
