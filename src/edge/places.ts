/** Where a message of ours stands in a request of another API. */
export interface Origin {
  /** Its own place; a field of the message follows it. */
  at: string;
  /** The places of its parts and of its tool calls, in our order. */
  parts?: readonly string[];
  calls?: readonly string[];
}

/** A message of ours with its origin. */
export interface Placed<Message> {
  message: Message;
  origin: Origin;
}

/** What another API calls our fields, each tried in turn: within a message, a part, a tool call, and the request itself. */
export interface OtherNames {
  message: readonly Renaming[];
  part: readonly Renaming[];
  call: readonly Renaming[];
  request: readonly Renaming[];
}

export type Renaming = readonly [ours: RegExp, theirs: string];

/** Finds the place in a request of another API for a place in ours, so that errors speak of what the caller sent. */
export type PlaceOf = (field: string) => string;

const inMessages = /^messages\[(\d+)\](?:\.(parts|toolCalls)\[(\d+)\])?(.*)$/s;

export function placeIn(origins: readonly Origin[], names: OtherNames): PlaceOf {
  return (field) => {
    const [, index, list, place, rest = ''] = inMessages.exec(field) ?? [];
    const origin = index === undefined ? undefined : origins[Number(index)];
    if (!origin) return snakeCase(renamed(field, names.request));
    if (place === undefined) return origin.at + snakeCase(renamed(rest, names.message));
    const [places, words] = list === 'parts' ? [origin.parts, names.part] : [origin.calls, names.call];
    return (places?.[Number(place)] ?? origin.at) + snakeCase(renamed(rest, words));
  };
}

function renamed(name: string, renamings: readonly Renaming[]): string {
  const found = renamings.find(([ours]) => ours.test(name));
  return found ? name.replace(found[0], found[1]) : name;
}

/** Our fields are in camel case; those of the other APIs are not. Names of headers stay as they are. */
export function snakeCase(field: string): string {
  return field.replace(/(?<=[a-z0-9])[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
