import { FailureError, invalid } from '../base/failure.ts';
import type { PlaceOf } from './places.ts';

/** A tool that a choice allows, by name, with where it stands in the choice. */
export interface AllowedName {
  name: string;
  at: string;
}

/**
 * The tools that a choice among them leaves: the model is told of no others, which is all that the choice means. `placeOf`
 * finds a place in them in what the caller sent. Without a choice all are left. Throws with the place of a name that no tool has.
 */
export function allowedTools<Tool extends { name?: string }>(
  tools: readonly Tool[],
  allowed: readonly AllowedName[] | undefined,
): { tools: readonly Tool[]; placeOf: PlaceOf } {
  if (!allowed) return { tools, placeOf: (field) => field };
  const known = new Set(tools.map(({ name }) => name));
  for (const { name, at } of allowed)
    if (!known.has(name)) throw new FailureError(invalid(at, 'None of the tools has this name.'));
  const names = new Set(allowed.map(({ name }) => name));
  const places = [...tools.keys()].filter((place) => names.has(tools[place]?.name ?? ''));
  return {
    tools: tools.filter(({ name = '' }) => names.has(name)),
    placeOf: (field) => field.replace(/^tools\[(\d+)\]/, (_, place) => `tools[${places[Number(place)]}]`),
  };
}
