/** The sessions with one value of one property. */
export interface Segment {
  /** From 1; 0 stands for all sessions. */
  property: number;
  value: number;
}

/** What stands for all sessions in place of a segment. */
export const everyone = 0;

// Properties have at most 32 numbers, values 50.
const valuesOfProperty = 64;
/** More than any segment as one number. */
export const segmentsMax = 64 * valuesOfProperty;

/** A segment as one number; segments are in the order of their properties, then of their values. */
export function packSegment(property: number, value: number): number {
  return property * valuesOfProperty + value;
}

export function propertyNoOf(segment: number): number {
  return Math.floor(segment / valuesOfProperty);
}

export function valueNoOf(segment: number): number {
  return segment % valuesOfProperty;
}
