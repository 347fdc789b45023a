import type { PageName } from './i18n/texts.ts';

/** A page: its folder in `pages/`, which is also the name of its texts, and the paths that show it. */
export interface PageRoute {
  page: Exclude<PageName, 'common' | 'operator' | 'passkeys' | 'paying'>;
  /** Below `/console`; any further paths belong to the page, such as `/charges/:chargeId`. */
  paths: readonly [string, ...string[]];
  role: 'owner' | 'operator';
  /** The menu heading that it is listed under; unset: it is not in the menu. */
  group?: 'navUse' | 'navBuild' | 'navManage';
  /** Whether it is in the bar on a phone; the others are behind "More". At most four per role. */
  bar?: boolean;
}

/** Every page. One whose folder does not exist is in no menu and answers like a page that does not exist. */
export const allRoutes: readonly PageRoute[] = [
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

/**
 * The page of a path before it is known who is signed in. If both roles have one, the owner's: nearly everybody is an owner, and an extra file
 * costs less than one requested late. The build uses this, too: scripts/console-ahead.mjs.
 */
export function likelyRoute(path: string): PageRoute | undefined {
  const of = (role: PageRoute['role']) =>
    allRoutes.find((route) => route.role === role && route.paths.some((own) => firstOf(own) === firstOf(path)));
  return of('owner') ?? of('operator');
}

/** The first part of a path: `charges` of `/charges/:chargeId`. */
export function firstOf(path: string): string {
  return path.split('/')[1] ?? '';
}
