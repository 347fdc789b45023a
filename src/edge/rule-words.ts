/** What a text must look like, by its pattern in the contract. */
const patterns: ReadonlyMap<string, string> = new Map([
  [
    String.raw`^(0|[1-9][0-9]{0,8})(\.[0-9]{1,9})?$`,
    'must be an amount in USD as a decimal text, such as "5.00", with at most 9 digits before and after the point',
  ],
  [String.raw`^[^\x00-\x1f\x7f]*$`, 'must have no control characters, such as line breaks'],
  [String.raw`^[^\x00-\x1f\x7f]+$`, 'must not be empty, and have no control characters, such as line breaks'],
  [String.raw`^[\x21-\x7e]+$`, 'must be visible ASCII characters, without blanks'],
  ['^[!-~]{0,255}$', 'must be at most 255 visible ASCII characters, without blanks'],
  ['^[a-zA-Z0-9_-]{1,64}$', 'must be 1 to 64 letters (a-z, A-Z), digits, _ and -'],
  ['^[a-z0-9][a-z0-9-]{0,62}$', 'must be 1 to 63 small letters (a-z), digits and -, and not begin with -'],
  ['^([a-z0-9][a-z0-9-]{0,62})?$', 'must be at most 63 small letters (a-z), digits and -, and not begin with -'],
  [
    '^[a-z0-9][a-z0-9_.-]{0,63}$',
    'must be 1 to 64 small letters (a-z), digits, _, . and -, and begin with a letter or digit',
  ],
  ['^[a-z][a-z0-9_]{0,63}$', 'must be 1 to 64 small letters (a-z), digits and _, and begin with a letter'],
  ['^[A-Za-z_][A-Za-z0-9_]{0,63}$', 'must be 1 to 64 letters (a-z, A-Z), digits and _, and not begin with a digit'],
  [
    '^[A-Za-z_][A-Za-z0-9_.-]{0,63}$',
    'must be 1 to 64 letters (a-z, A-Z), digits, _, . and -, and begin with a letter or _',
  ],
  ['^[A-Za-z]{2,3}[A-Za-z0-9-]{0,27}$', 'must be a language, such as en or de-AT'],
  ['^20[0-9]{2}-(0[1-9]|1[0-2])$', 'must be a month, such as 2026-03'],
]);

type Rewording = readonly [theirs: RegExp, ours: (...found: string[]) => string];

/** protovalidate's messages, and what callers are told instead. */
const rewordings: readonly Rewording[] = [
  // An empty name among a field's values stands for omitting the field.
  [/^must be in list \[(.*)\]$/, (list) => `must be one of ${list.split(', ').filter(Boolean).join(', ')}`],
  [/^does not match regex pattern `(.*)`$/s, (pattern) => patterns.get(pattern) ?? `must match the pattern ${pattern}`],
  [/^does not have prefix `(.*)`$/, (prefix) => `must begin with ${prefix}`],
  [
    /^must contain (at least|at most) (\d+) item\(s\)$/,
    (most, count) => `must have ${most} ${counted(count, 'element')}`,
  ],
  [
    /^must be (at least|at most) (\d+) (character|byte)s$/,
    (most, count, unit) => `must have ${most} ${counted(count, unit)}`,
  ],
  [
    /^must be greater than or equal to (\S+) and less than or equal to (\S+)$/,
    (least, most) => `must be from ${least} to ${most}`,
  ],
];

function counted(count: string, unit: string): string {
  return `${count} ${unit}${count === '1' ? '' : 's'}`;
}

/** A contract rule's requirement, in plain words. */
export function ruleWords(message: string): string {
  for (const [theirs, ours] of rewordings) {
    const found = theirs.exec(message);
    if (found) return ours(...found.slice(1));
  }
  return message;
}
