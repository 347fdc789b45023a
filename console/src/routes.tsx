import type { ComponentType } from 'preact';
import { allRoutes, likelyRoute, type PageRoute } from './all-routes.ts';
import { loadTexts } from './i18n/index.ts';

export type { PageRoute } from './all-routes.ts';

const pages = import.meta.glob<{ default: ComponentType }>('./pages/*/index.tsx');
const loaded = new Map<PageRoute['page'], ComponentType>();

/** The pages of a role. */
export function routesOf(role: PageRoute['role']): readonly PageRoute[] {
  return allRoutes.filter((route) => route.role === role && fileOf(route.page) in pages);
}

/** Loads a page and its texts. Rejects when a file of it is gone, as after an update of the service. */
export async function loadPage(page: PageRoute['page']): Promise<ComponentType> {
  const load = pages[fileOf(page)];
  if (!load) throw new Error(`There is no page ${page}`);
  const [module] = await Promise.all([load(), loadTexts(page)]);
  loaded.set(page, module.default);
  return module.default;
}

/** A page that is already loaded. */
export function loadedPage(page: PageRoute['page']): ComponentType | undefined {
  return loaded.get(page);
}

/** Loads the page of a path before it is known who is signed in. If this fails, it fails again when the page is shown, and is reported there. */
export async function loadAhead(path: string): Promise<void> {
  const route = likelyRoute(path);
  if (route) await loadPage(route.page).catch(() => {});
}

function fileOf(page: string): string {
  return `./pages/${page}/index.tsx`;
}
