/** Where one of our messages comes from in another API's request. */
export interface Origin {
  /** Its own place; the message's fields follow it. */
  at: string;
  /** The places of its parts and of its tool calls, in our order. */
  parts?: readonly string[];
  calls?: readonly string[];
}

/** One of our messages with its origin. */
export interface Placed<Message> {
  message: Message;
  origin: Origin;
}

/** Another API's names for our fields, tried in order: within a message, a part, a tool call, and the request itself. */
export interface OtherNames {
  message: readonly Renaming[];
  part: readonly Renaming[];
  call: readonly Renaming[];
  request: readonly Renaming[];
}

export type Renaming = readonly [ours: RegExp, theirs: string];

/** Maps a place in our request to one in another API's request, so that errors refer to what the caller sent. */
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

/**
 * Our fields are in camel case, the other APIs' in snake case. Header names are unchanged, as is what callers named themselves: a
 * quoted key, and a place in a schema.
 */
export function snakeCase(field: string): string {
  return field.replace(/["#].*|(?<=[a-z0-9])[A-Z]/gs, (found) =>
    found.length > 1 || !/[A-Z]/.test(found) ? found : `_${found.toLowerCase()}`,
  );
}
