/**
 * What a record holds under a name that may be a caller's: names that every object inherits, such as `constructor`, are found
 * only where the record itself has them.
 */
export function ownValue<T>(record: Readonly<Record<string, T>> | undefined, name: string): T | undefined {
  return record !== undefined && Object.hasOwn(record, name) ? record[name] : undefined;
}
