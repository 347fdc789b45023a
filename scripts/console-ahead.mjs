// Which files a page of the console needs besides those of the entry, so that the service can name them with the page itself
// (src/edge/console/ahead.ts): the browser then requests them at once, not only after the entry has run.
import { allRoutes, firstOf, likelyRoute } from '../console/src/all-routes.ts';
import { languages } from '../console/src/i18n/language.ts';

/**
 * Addresses by the first part of a path below `/console/` and by language, the most important first: a browser makes six requests to a host at a
 * time. `output` is what Vite's build produced.
 */
export function filesAhead(output) {
  const chunks = new Map(output.filter(({ type }) => type === 'chunk').map((chunk) => [chunk.fileName, chunk]));
  const bySource = new Map([...chunks.values()].map((chunk) => [sourceOf(chunk.facadeModuleId), chunk.fileName]));
  const { source: page } = output.find(({ fileName }) => fileName === 'index.html');
  const isNamed = ({ fileName }) => fileName.startsWith('assets/') && page.includes(fileName);
  const named = output.filter(isNamed).map(({ fileName }) => fileName);
  const first = withImports(named);
  const segments = new Set(allRoutes.flatMap(({ paths }) => paths.map(firstOf)));
  return Object.fromEntries(
    [...segments].map((segment) => [
      segment,
      Object.fromEntries(languages.map((language) => [language, ahead(likelyRoute(`/${segment}`).page, language)])),
    ]),
  );

  function ahead(page, language) {
    // The English texts of every page are in the entry.
    const texts = language === 'en' ? [page] : [page, 'common'];
    const sources = [`pages/${page}/index.tsx`, ...texts.map((name) => `i18n/${language}/${name}.ts`)];
    const files = withImports(sources.map((source) => bySource.get(source)).filter((file) => file !== undefined));
    const scripts = [...files].filter((file) => !first.has(file));
    const styles = scripts.flatMap((file) => [...(chunks.get(file).viteMetadata?.importedCss ?? [])]);
    return [...first, ...scripts, ...styles].map((file) => `/console/${file}`);
  }

  function withImports(files, found = new Set()) {
    for (const file of files) {
      if (found.has(file)) continue;
      found.add(file);
      withImports(chunks.get(file)?.imports ?? [], found);
    }
    return found;
  }
}

/** The path of a module within `console/src/`. */
function sourceOf(module) {
  return /\/console\/src\/(.*)$/.exec(module ?? '')?.[1];
}
