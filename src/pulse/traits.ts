import type { NamedTrait, Names } from './names.ts';
import { otherValue } from './names.ts';
import { packSegment } from './segment.ts';
import type { Property } from './settings.ts';

const valueLengthMax = 64;

/** The values that an event's properties give for declared ones. */
export function namedTraits(declared: readonly Property[], given: object | undefined): NamedTrait[] {
  const traits: NamedTrait[] = [];
  for (const { no, name, active } of declared) {
    const value = active && given ? valueIn(given, name) : undefined;
    if (value !== undefined) traits.push({ propertyNo: no, value });
  }
  return traits;
}

/** The segments in which a session with these values counts; undefined if a value has yet to get its number. */
export function traitSegments(
  declared: readonly Property[],
  given: object | undefined,
  names: Names,
): number[] | undefined {
  const segments: number[] = [];
  if (given === undefined) return segments;
  for (const { no, name, active } of declared) {
    const value = active ? valueIn(given, name) : undefined;
    if (value === undefined) continue;
    const number = names.valueNo(no, value);
    if (number === undefined) return undefined;
    segments.push(packSegment(no, number));
  }
  return segments;
}

/** The text by which a string, number or boolean counts; undefined for anything else. */
function valueIn(given: object, name: string): string | undefined {
  if (!Object.hasOwn(given, name)) return undefined;
  const value: unknown = (given as Record<string, unknown>)[name];
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string' || value === '') return undefined;
  return value.length <= valueLengthMax && value.isWellFormed() ? value : otherValue;
}
