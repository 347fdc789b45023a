const joints =
  /(?<=\p{L}\p{Ll})(?=\p{Lu}[\p{Lu}\p{Ll}])|(?<=\p{Ll}{2})(?=\p{N})|(?<=\p{N})(?=\p{Lu}\p{Ll})|(?<=\p{Lu}{2})(?=\p{Lu}\p{Ll})/gu;

/**
 * A field's name in spoken form: `taxesPaid` and `taxes_paid` are "taxes paid", `costInEUR` is "cost in EUR". Names with
 * blanks, brands, and anything that is not a field name are left alone.
 */
export function spokenName(name: string): string {
  if (!/^\p{L}[\p{L}\p{N}_]*$/u.test(name)) return name;
  const words = name.replace(joints, ' ').split(/[\s_]+/);
  if (words.length === 1) return name;
  return words.map((word) => (/\p{Lu}.*\p{Lu}/u.test(word) ? word : word.toLowerCase())).join(' ');
}

/** The same as a label: "Taxes paid". A one-word name is left alone. */
export function spokenLabel(name: string): string {
  const spoken = spokenName(name);
  return spoken === name ? name : spoken.replace(/^\p{L}/u, (first) => first.toUpperCase());
}
