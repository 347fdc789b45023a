import type { ComponentType } from 'preact';
import { loadTexts, type PageName } from './i18n/index.ts';

/** A page: its folder in `pages/`, which is also the name of its texts, and the paths that show it. */
export interface PageRoute {
  page: Exclude<PageName, 'common' | 'operator' | 'passkeys' | 'paying'>;
  /** Below `/console`; further paths are the page's own, such as `/charges/:chargeId`. */
  paths: readonly [string, ...string[]];
  role: 'owner' | 'operator';
  /** Under which heading of the menu it stands; none: it is not in the menu. */
  group?: 'navUse' | 'navBuild' | 'navManage';
  /** Whether it is in the bar of a phone; the others are behind "More". At most four a role. */
  bar?: boolean;
}

/** Every page. One whose folder is not there is in no menu and answers as a page that does not exist. */
const allRoutes: readonly PageRoute[] = [
  { page: 'overview', paths: ['/'], role: 'owner', group: 'navUse', bar: true },
  { page: 'usage', paths: ['/usage'], role: 'owner', group: 'navUse', bar: true },
  { page: 'charges', paths: ['/charges', '/charges/:chargeId'], role: 'owner', group: 'navUse' },
  { page: 'credit', paths: ['/credit', '/credit/:topUpId'], role: 'owner', group: 'navUse', bar: true },
  { page: 'statements', paths: ['/statements', '/statements/:month', '/receipts/:topUpId'], role: 'owner' },
  { page: 'playground', paths: ['/playground'], role: 'owner', group: 'navBuild', bar: true },
  { page: 'models', paths: ['/models'], role: 'owner', group: 'navBuild' },
  { page: 'workflows', paths: ['/workflows', '/workflows/:workflow'], role: 'owner', group: 'navBuild' },
  { page: 'pulse', paths: ['/pulse', '/pulse/:journey'], role: 'owner', group: 'navBuild' },
  { page: 'keys', paths: ['/keys', '/keys/:keyId'], role: 'owner', group: 'navManage' },
  { page: 'devices', paths: ['/devices', '/devices/activate'], role: 'owner', group: 'navManage' },
  { page: 'webhooks', paths: ['/webhooks', '/webhooks/:endpointId'], role: 'owner', group: 'navManage' },
  { page: 'team', paths: ['/team'], role: 'owner', group: 'navManage' },
  { page: 'operator-accounts', paths: ['/', '/accounts/:accountId'], role: 'operator', group: 'navManage', bar: true },
  { page: 'operator-credits', paths: ['/credits'], role: 'operator', group: 'navManage', bar: true },
  { page: 'operator-health', paths: ['/health'], role: 'operator', group: 'navManage', bar: true },
  { page: 'operator-audit', paths: ['/audit'], role: 'operator', group: 'navManage', bar: true },
  { page: 'operator-sign-ins', paths: ['/sign-ins'], role: 'operator', group: 'navManage' },
];

const pages = import.meta.glob<{ default: ComponentType }>('./pages/*/index.tsx');

/** The pages of a role. */
export function routesOf(role: PageRoute['role']): readonly PageRoute[] {
  return allRoutes.filter((route) => route.role === role && fileOf(route.page) in pages);
}

/** Loads a page and its texts. Rejects when a file of it is gone, as after an update of the service. */
export async function loadPage(page: PageRoute['page']): Promise<ComponentType> {
  const load = pages[fileOf(page)];
  if (!load) throw new Error(`There is no page ${page}`);
  const [module] = await Promise.all([load(), loadTexts(page)]);
  return module.default;
}

/**
 * Begins to load the page of a path before it is known who is signed in. Where both roles have one, the owner's: nearly everybody is an
 * owner, and a file too many costs less than one that is asked for late.
 */
export function loadAhead(path: string): void {
  const of = (role: PageRoute['role']) =>
    routesOf(role).find(({ paths }) => paths.some((own) => own.split('/')[1] === path.split('/')[1]));
  const route = of('owner') ?? of('operator');
  // Where it fails, it fails again when the page is shown, and is said there.
  if (route) loadPage(route.page).catch(() => {});
}

function fileOf(page: string): string {
  return `./pages/${page}/index.tsx`;
}
