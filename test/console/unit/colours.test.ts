import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const css = readFileSync(new URL('../../../console/src/styles/base.css', import.meta.url), 'utf8');
type Colour = readonly number[];

/** A custom property's two colours, as linear light. */
function coloursOf(name: string): { light: Colour; dark: Colour } {
  const found = new RegExp(`--${name}: light-dark\\((#[0-9a-f]{6}), (#[0-9a-f]{6})\\)`).exec(css);
  if (!found?.[1] || !found[2]) throw new Error(`--${name} is no pair of colours`);
  return { light: linear(found[1]), dark: linear(found[2]) };
}

function linear(hex: string): Colour {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
}

/** Linear light as it is seen, by Machado, Oliveira and Fernandes (2009) at full severity. */
const eyes: Record<string, readonly Colour[]> = {
  'all colours': [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  'no red': [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  'no green': [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  'no blue': [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

const times = (rows: readonly Colour[], colour: Colour) =>
  rows.map((row) => row.reduce((sum, factor, at) => sum + factor * (colour[at] ?? 0), 0));

/** OKLab, in which distance is about how different two colours look: black and white are 1 apart. */
function oklab(colour: Colour): Colour {
  const cones = times(
    [
      [0.4122214708, 0.5363325363, 0.0514459929],
      [0.2119034982, 0.6806995451, 0.1073969566],
      [0.0883024619, 0.2817188376, 0.6299787005],
    ],
    colour.map((value) => Math.min(1, Math.max(0, value))),
  ).map(Math.cbrt);
  return times(
    [
      [0.2104542553, 0.793617785, -0.0040720468],
      [1.9779984951, -2.428592205, 0.4505937099],
      [0.0259040371, 0.7827717662, -0.808675766],
    ],
    cones,
  );
}

const luminance = ([red = 0, green = 0, blue = 0]: Colour) => 0.2126 * red + 0.7152 * green + 0.0722 * blue;
const series = Array.from({ length: 8 }, (_, index) => coloursOf(`series-${index}`));

describe.each(['light', 'dark'] as const)('the colours of charts, %s', (look) => {
  test('stand out from what is behind them, 3 to 1 (WCAG 2.2, 1.4.11)', () => {
    for (const behind of ['bg', 'surface'])
      for (const [index, colour] of series.entries()) {
        const [more = 0, less = 0] = [luminance(colour[look]), luminance(coloursOf(behind)[look])].sort(
          (a, b) => b - a,
        );
        expect((more + 0.05) / (less + 0.05), `series ${index} on ${behind}`).toBeGreaterThanOrEqual(3);
      }
  });

  test.each(Object.keys(eyes))('are apart from one another for who sees %s', (eye) => {
    const seen = series.map((colour) => oklab(times(eyes[eye] ?? [], colour[look])));
    for (const [one, a] of seen.entries())
      for (const [other, b] of seen.entries())
        if (one < other)
          expect(Math.hypot(...a.map((value, at) => value - (b[at] ?? 0))), `${one} and ${other}`).toBeGreaterThan(0.1);
  });
});
