import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];

/**
 * What axe finds against WCAG 2.2 AA, one line each. It runs in a world of its own beside the page's, so that the page keeps its
 * Content-Security-Policy.
 */
export async function axeViolations(page: Page): Promise<string[]> {
  const devtools = await page.context().newCDPSession(page);
  try {
    const { frameTree } = await devtools.send('Page.getFrameTree');
    const { executionContextId } = await devtools.send('Page.createIsolatedWorld', {
      frameId: frameTree.frame.id,
      worldName: 'axe',
    });
    const evaluate = async (expression: string): Promise<unknown> => {
      const { result, exceptionDetails } = await devtools.send('Runtime.evaluate', {
        ...{ expression, contextId: executionContextId, awaitPromise: true, returnByValue: true },
      });
      if (exceptionDetails) throw new Error(`axe: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
      return result.value;
    };
    await evaluate(`${source}; undefined`);
    return (await evaluate(`axe.run(document, { runOnly: ${JSON.stringify(tags)}, resultTypes: ['violations'] }).then(
      ({ violations }) => violations.flatMap(({ id, help, nodes }) =>
        nodes.map(({ target, failureSummary }) => [id, help, target.join(' '), failureSummary].join(' | '))))`)) as string[];
  } finally {
    await devtools.detach();
  }
}
