/**
 * Matches the contract's own patterns, anchored and without repetitions in repetitions, so that any engine takes linear time
 * (`test/proto/patterns.test.ts`). The validator's own engine is written in JavaScript, and takes seconds for a text of 19 MB.
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
