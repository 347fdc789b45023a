/** The sessions with one value of one property. */
export interface Segment {
  /** From 1; 0 means all sessions. */
  property: number;
  value: number;
}

/** The packed segment that means all sessions. */
export const everyone = 0;

// Property numbers go up to 32, value numbers up to 50.
const valuesOfProperty = 64;
/** Greater than any packed segment. */
export const segmentsMax = 64 * valuesOfProperty;

/** Packs a segment into one number; packed segments sort by property, then by value. */
export function packSegment(property: number, value: number): number {
  return property * valuesOfProperty + value;
}

export function propertyNoOf(segment: number): number {
  return Math.floor(segment / valuesOfProperty);
}

export function valueNoOf(segment: number): number {
  return segment % valuesOfProperty;
}
