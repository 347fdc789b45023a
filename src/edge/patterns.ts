/**
 * Matches the contract's own patterns, which are anchored and have no nested repetition, so that any engine takes linear time
 * (`test/proto/patterns.test.ts`). The validator's own engine is written in JavaScript and takes seconds for 19 MB of text.
 */
export function createPatternMatcher(): (pattern: string, text: string) => boolean {
  const known = new Map<string, RegExp>();
  return (pattern, text) => {
    let compiled = known.get(pattern);
    if (!compiled) {
      compiled = new RegExp(pattern, 'u');
      known.set(pattern, compiled);
    }
    return compiled.test(text);
  };
}
