import { FailureError, invalid } from '../base/failure.ts';
import type { PlaceOf } from './places.ts';

/** The name of a tool that a tool choice allows, and its position in that choice. */
export interface AllowedName {
  name: string;
  at: string;
}

/**
 * Narrows the tools to those that the tool choice allows, by hiding the others from the model, which is all such a choice means.
 * Without a choice, all remain. `placeOf` maps a place in the result to the caller's request. Throws with the place of a name
 * that no tool has.
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
