/** How large JSON may be that somebody computes or sends; text counts in UTF-16 units, with the names in objects. */
export interface JsonSize {
  values: number;
  levels: number;
  characters: number;
}

/** Why JSON is larger than that, as the end of a sentence; undefined if it is not. Stops counting at the limit. */
export function tooLargeJson(json: unknown, most: JsonSize): string | undefined {
  let values = 0;
  let units = 0;
  const open: { value: unknown; depth: number }[] = [{ value: json, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    values++;
    if (typeof value === 'string') units += value.length;
    if (values > most.values) return `holds more than ${most.values} values`;
    if (units > most.characters) return `holds more than ${most.characters} characters of text`;
    if (typeof value !== 'object' || value === null) continue;
    if (depth >= most.levels) return `is nested deeper than ${most.levels} levels`;
    const names = value as Record<string, unknown>;
    const isList = Array.isArray(value);
    for (const name in names) {
      if (open.length > most.values) break;
      if (!isList) units += name.length;
      open.push({ value: names[name], depth: depth + 1 });
    }
  }
  return undefined;
}
