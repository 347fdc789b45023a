import type { JsonObject } from '@bufbuild/protobuf';
import { refuse } from './parameters.ts';

// Reads values from a JSON body; a value of the wrong type is refused with its place.

export type Json = { readonly [name: string]: unknown };

/** A member that is present only if the caller sent it; null counts as not sent. */
export function optional<Name extends string, T>(
  name: Name,
  value: unknown,
  read: (value: unknown) => T,
): { [N in Name]?: T } {
  return (value == null ? {} : { [name]: read(value) }) as { [N in Name]?: T };
}

export function objectAt(value: unknown, at: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) refuse(at, 'must be an object');
  return value as Json;
}

export function jsonAt(value: unknown, at: string): JsonObject {
  return objectAt(value, at) as JsonObject;
}

export function listAt(value: unknown, at: string): readonly unknown[] {
  return Array.isArray(value) ? value : refuse(at, 'must be a list');
}

export function textAt(value: unknown, at: string): string {
  return typeof value === 'string' ? value : refuse(at, 'must be a text');
}

export function numberAt(at: string): (value: unknown) => number {
  return (value) => (typeof value === 'number' ? value : refuse(at, 'must be a number'));
}

export function flagAt(at: string): (value: unknown) => boolean {
  return (value) => (typeof value === 'boolean' ? value : refuse(at, 'must be true or false'));
}

export function countAt(at: string): (value: unknown) => number {
  return (value) =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 1_000_000
      ? value
      : refuse(at, 'must be a whole number from 1 to 1000000');
}
