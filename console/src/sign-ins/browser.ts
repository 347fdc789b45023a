// The order matters: browsers also name the ones that they descend from.
const browsers: readonly [RegExp, string][] = [
  [/\bEdgA?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bFirefox\//, 'Firefox'],
  [/\b(Headless)?Chrome\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];
const systems: readonly [RegExp, string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b|\biPad\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** A `User-Agent` in two words, so that people recognise their own: `Firefox, Linux`. It proves nothing. */
export function browserOf(agent: string): string | undefined {
  const nameIn = (names: typeof browsers) => names.find(([pattern]) => pattern.test(agent))?.[1];
  return [nameIn(browsers), nameIn(systems)].filter(Boolean).join(', ') || undefined;
}
