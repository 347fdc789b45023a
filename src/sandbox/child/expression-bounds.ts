const nestingMax = 24;
const comprehensionsMax = 2;

/**
 * Says what is excessive about an expression before it is parsed: how deep its brackets nest, and how many of its macros
 * iterate over a list. A time limit covers the rest.
 */
export function boundExpression(expression: string): string | undefined {
  let depth = 0;
  let quote = '';
  for (let at = 0; at < expression.length; at++) {
    const letter = expression[at] as string;
    if (quote !== '') {
      if (letter === '\\') at++;
      else if (letter === quote) quote = '';
    } else if (letter === '"' || letter === "'") quote = letter;
    else if ('([{'.includes(letter)) depth++;
    else if (')]}'.includes(letter)) depth--;
    if (depth > nestingMax) return `nests brackets deeper than ${nestingMax} levels`;
  }
  const walks =
    expression.match(/\.\s*(?:all|exists|exists_one|map|filter|transformList|transformMap)\s*\(/g)?.length ?? 0;
  return walks > comprehensionsMax ? `walks through lists more than ${comprehensionsMax} times` : undefined;
}
