type Range = readonly [least: number, most: number];

/** Between which numbers a fact can be; generously, since a rare thing is no mistake. */
export const ranges: Readonly<Record<string, Range>> = {
  batteryHealthPercent: [1, 100],
  powerHp: [0.5, 3000],
  powerKw: [0.3, 2200],
  engineLitres: [0.04, 30],
  doors: [0, 9],
  seats: [1, 90],
  owners: [0, 40],
  screenInch: [0.5, 200],
  storageGb: [0.001, 200_000],
  ramGb: [0.001, 4096],
  rooms: [0.5, 500],
  bedrooms: [0, 300],
  bathrooms: [0, 300],
  floor: [-10, 170],
  yearBuilt: [900, 2050],
  experienceYears: [0, 75],
};

/** What is not impossible, but nothing that people mean by "1.250": there the sign is one of decimals. */
const usual: Readonly<Record<string, Range>> = {
  ...ranges,
  weightKg: [0, 999],
  capacityKg: [0, 60],
  heightCm: [0, 2000],
  widthCm: [0, 2000],
  depthCm: [0, 2000],
  lengthCm: [0, 2000],
};

const ambiguous = /^\D*([1-9]\d{0,2})[.,](\d{3})(?!\d| ?k| ?tsd)/;

/** A written amount with three digits after its only sign, if they can only be decimals of this fact: 1.598 litres. */
export function decimalsOf(fact: string, written: string, value: number): number {
  const [, whole, part] = ambiguous.exec(written) ?? [];
  const [least, most] = usual[fact] ?? [];
  if (whole === undefined || least === undefined || most === undefined || value <= most) return value;
  const smaller = (value / Number(`${whole}${part}`)) * Number(`${whole}.${part}`);
  return smaller >= least && smaller <= most ? Math.round(smaller * 1000) / 1000 : value;
}
