/** Drops undefined members, for types whose optional members may be absent but not undefined. */
export function present<T extends object>(members: T): { [Name in keyof T]: Exclude<T[Name], undefined> } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

/** A subset of an object's members; an absent one stays absent. */
export function pick<T extends object, Name extends keyof T & string>(object: T, ...names: Name[]): Pick<T, Name> {
  return Object.fromEntries(names.filter((name) => name in object).map((name) => [name, object[name]])) as Pick<
    T,
    Name
  >;
}
