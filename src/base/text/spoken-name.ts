const joints =
  /(?<=\p{L}\p{Ll})(?=\p{Lu}[\p{Lu}\p{Ll}])|(?<=\p{Ll}{2})(?=\p{N})|(?<=\p{N})(?=\p{Lu}\p{Ll})|(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll})/gu;

/**
 * The name of a field as people say it: `taxesPaid` and `taxes_paid` are "taxes paid", `costInEUR` is "cost in EUR". What has
 * blanks, a brand, and what is no name of a field stay as they are.
 */
export function spokenName(name: string): string {
  if (!/^\p{L}[\p{L}\p{N}_]*$/u.test(name)) return name;
  const words = name.replace(joints, ' ').split(/[\s_]+/);
  if (words.length === 1) return name;
  return words.map((word) => (/\p{Lu}.*\p{Lu}/u.test(word) ? word : word.toLowerCase())).join(' ');
}

/** The same as a label: "Taxes paid". A name of one word stays as it is. */
export function spokenLabel(name: string): string {
  const spoken = spokenName(name);
  return spoken === name ? name : spoken.replace(/^\p{L}/u, (first) => first.toUpperCase());
}
