import { expect, test } from 'vitest';
import { geometryOf, margin } from '../../../console/src/ui/chart/geometry.ts';

const size = { width: 400, height: 200 };
const series = (id: string, values: number[]) => ({ id, label: id, values });

test('bars stand on one another, inside of the drawing, and add up to the highest', () => {
  const { bars, ticks, start } = geometryOf('bars', 2, [series('a', [1, 0]), series('b', [3, 2])], size);
  expect(bars).toHaveLength(3);
  const [a, , b] = [0, 1, 2].map((index) => bars[index]);
  if (!a || !b) throw new Error('There are no bars');
  expect(a.y + a.height).toBeCloseTo(size.height - margin.bottom);
  const onA = bars.find((bar) => bar.series === 1 && bar.category === 0);
  expect((onA?.y ?? 0) + (onA?.height ?? 0)).toBeCloseTo(a.y);
  for (const bar of bars) {
    expect(bar.x).toBeGreaterThanOrEqual(start);
    expect(bar.x + bar.width).toBeLessThanOrEqual(size.width);
    expect(bar.y).toBeGreaterThanOrEqual(0);
  }
  expect(ticks.at(0)?.value).toBe(0);
  expect(ticks.at(-1)?.value).toBe(4);
});

test('what is there is a pixel high, and what is not is not drawn', () => {
  const { bars } = geometryOf('bars', 3, [series('a', [1_000_000, 0.000001, 0])], size);
  expect(bars.map(({ height }) => height >= 1)).toEqual([true, true]);
});

test('nothing at all has an axis and no bars, in however little room', () => {
  const { bars, ticks, columns } = geometryOf('bars', 30, [], { width: 10, height: 100 });
  expect(bars).toEqual([]);
  expect(ticks.length).toBeGreaterThan(1);
  expect(columns).toHaveLength(30);
});

test('the texts beside the axis have the room that they need', () => {
  const money = (value: number) => `$${value.toFixed(9)}`;
  const { start } = geometryOf('bars', 3, [series('a', [0.000000001, 0, 0])], size, money);
  expect(start).toBeGreaterThan(geometryOf('bars', 3, [], size).start);
  expect(start).toBeGreaterThan('$0.000000001'.length * 7);
});

test('as many names as fit stand below', () => {
  const below = (count: number) => geometryOf('bars', count, [], { width: 390, height: 100 }).labels;
  expect(below(30).map(({ category }) => category)).toEqual([0, 6, 12, 18, 24]);
  expect(below(3).map(({ category }) => category)).toEqual([0, 1, 2]);
});

test('long names stand further apart, so that none is upon another', () => {
  for (const width of [390, 800, 1_200]) {
    const size = { width, height: 100 };
    const { labels } = geometryOf('bars', 24, [], size, String, '23 Nov 06:00'.length);
    const gaps = labels.slice(1).map(({ x }, index) => x - (labels[index]?.x ?? 0));
    expect(Math.min(...gaps), `${width} pixels`).toBeGreaterThan('23 Nov 06:00'.length * 7);
  }
});

test('no name below is cut off at the edge', () => {
  const width = 390;
  for (let count = 1; count <= 400; count++)
    for (const { x, anchor } of geometryOf('bars', count, [], { width, height: 100 }).labels)
      expect(anchor === 'end' ? x : x + 32, `${count} columns`).toBeLessThanOrEqual(width);
});

test('a line goes through the middle of each column', () => {
  const { lines, columns } = geometryOf('lines', 3, [series('a', [0, 2, 1])], size);
  const points = [...(lines[0]?.path ?? '').matchAll(/[ML]([\d.]+),([\d.]+)/g)].map(([, x]) => Number(x));
  expect(points.map(Math.round)).toEqual(columns.map(({ middle }) => Math.round(middle)));
});
