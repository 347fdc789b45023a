const nestingMax = 24;
const comprehensionsMax = 2;

/**
 * A text, in which a raw one (`r"\\"`) has no escapes, or a comment. An `r` before a quote always begins a raw text: after a name,
 * the parser takes no text at all.
 */
const unread = new RegExp(
  [
    String.raw`[rR](?:"""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\r\n]*"|'[^'\r\n]*')`,
    String.raw`"""(?:\\[\s\S]|[^\\])*?"""|'''(?:\\[\s\S]|[^\\])*?'''`,
    String.raw`"(?:\\[^\r\n]|[^"\\\r\n])*"|'(?:\\[^\r\n]|[^'\\\r\n])*'`,
    String.raw`\/\/[^\r\n]*`,
  ].join('|'),
  'g',
);

const walk = /\.\s*(?:all|exists|exists_one|existsOne|map|filter|transformList|transformMap)\s*\(/g;

/**
 * Says what is excessive about an expression before it is parsed: how deep its brackets nest, and how many of its macros
 * iterate over a list. A time limit covers the rest.
 */
export function boundExpression(expression: string): string | undefined {
  const code = expression.replace(unread, ' ');
  let depth = 0;
  for (const letter of code) {
    if ('([{'.includes(letter)) depth++;
    else if (')]}'.includes(letter)) depth--;
    if (depth > nestingMax) return `nests brackets deeper than ${nestingMax} levels`;
  }
  const walks = code.match(walk)?.length ?? 0;
  return walks > comprehensionsMax ? `walks through lists more than ${comprehensionsMax} times` : undefined;
}
