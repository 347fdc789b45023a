import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the build says of its pages (scripts/console-ahead.mjs): for the service, and not served. */
export const aheadFile = 'ahead.json';

/** By the first part of a path below `/console/`, and by language: scripts and styles. */
type FilesAhead = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

/**
 * What a place in the console will need beside the page itself, as a `Link` header (RFC 8288): the browser asks for it together with what
 * the page names, and not when the script of the page has run. A language that was chosen in the console is kept in the browser, so the
 * browser's own is what is known here; a wrong guess costs one file.
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

/** Who is signed in, which every place asks first. */
const session = '</console/session>; rel=preload; as=fetch; crossorigin';

function linkOf(address: string): string {
  return `<${address}>; ${address.endsWith('.css') ? 'rel=preload; as=style' : 'rel=modulepreload'}; crossorigin`;
}
