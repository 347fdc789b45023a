/** Drops undefined members, for types whose optional members may be absent but not undefined. */
export function present<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  // Every request does this a dozen times; lists of entries would cost 3 KB of garbage.
  const kept: Partial<T> = {};
  for (const name of Object.keys(members) as (keyof T)[]) if (members[name] !== undefined) kept[name] = members[name];
  return kept as never;
}

/** A subset of an object's members; an absent one stays absent. */
export function pick<T extends object, Name extends keyof T & string>(object: T, ...names: Name[]): Pick<T, Name> {
  const picked: Partial<Pick<T, Name>> = {};
  for (const name of names) if (name in object) picked[name] = object[name];
  return picked as Pick<T, Name>;
}
