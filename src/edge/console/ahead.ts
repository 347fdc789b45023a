import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the build records about its pages (scripts/console-ahead.mjs); for the service only, not served. */
export const aheadFile = 'ahead.json';

/** Scripts and styles, by the first part of a path below `/console/` and by language. */
type FilesAhead = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/**
 * What a console path will need beside the page itself, as a `Link` header (RFC 8288): the browser requests it along with the
 * page's own files rather than after the page's script has run. A language chosen in the console is stored in the browser, so
 * only the browser's own is known here; a wrong guess costs one file.
 */
export function readAhead(folder: string): (path: string, acceptLanguage?: string) => string | undefined {
  const place = join(folder, aheadFile);
  const files = existsSync(place) ? (JSON.parse(readFileSync(place, 'utf8')) as FilesAhead) : {};
  const links = new Map(
    Object.entries(files).map(([first, byLanguage]) => [
      first,
      new Map(
        Object.entries(byLanguage).map(([language, files]) => [language, [session, ...files.map(linkOf)].join(', ')]),
      ),
    ]),
  );
  return (path, acceptLanguage = '') => {
    const byLanguage = links.get(path.split('/', 1)[0] ?? '');
    const wanted = acceptLanguage.split(',').map((tag) => tag.trim().toLowerCase().split(/[-;]/, 1)[0] ?? '');
    return byLanguage?.get(wanted.find((language) => byLanguage.has(language)) ?? 'en');
  };
}

/** The signed-in session, which every console path requests first. */
const session = '</console/session>; rel=preload; as=fetch; crossorigin';

function linkOf(address: string): string {
  return `<${address}>; ${address.endsWith('.css') ? 'rel=preload; as=style' : 'rel=modulepreload'}; crossorigin`;
}
