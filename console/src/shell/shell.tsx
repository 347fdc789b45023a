import type { ComponentChildren, ComponentType } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { findText, t } from '../i18n/index.ts';
import type { PageRoute } from '../routes.tsx';
import { useSession } from '../session.tsx';
import { useLinkCode } from '../sign-in-link.ts';
import { ConfirmDialog } from '../ui/confirm.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Toasts } from '../ui/toast.tsx';
import { AccountMenu } from './account-menu.tsx';
import { MoneyBanners } from './money-banners.tsx';

const groups = ['navUse', 'navBuild', 'navManage'] as const;

interface ShellProps {
  routes: readonly PageRoute[];
  children: ComponentChildren;
}

/** The frame of every page: the menu, who is signed in, and warnings about money. */
export function Shell({ routes, children }: ShellProps) {
  const session = useSession();
  const [keysShown, setKeysShown] = useState(false);
  useHelpKey(() => setKeysShown(true));
  return (
    <div class={`shell ${session.role}`}>
      <a class="skip" href="#content">
        {t('common.skip')}
      </a>
      <header class="top">
        <Link href="/" class="brand" aria-label={t('common.product')}>
          <Mark />
          <span class="brand-name">{t('common.product')}</span>
        </Link>
        {session.sandbox && (
          <span class="badge warning" title={t('common.sandboxHelp')}>
            {t('common.sandbox')}
          </span>
        )}
        <AccountMenu onKeys={() => setKeysShown(true)} />
      </header>
      <nav class="side" aria-label={t('common.menu')}>
        <Menu routes={routes} />
      </nav>
      <main id="content" tabIndex={-1}>
        {session.role === 'owner' && <MoneyBanners />}
        {children}
      </main>
      <BottomBar routes={routes} />
      <Dialog title={t('common.keyboardTitle')} open={keysShown} onClose={() => setKeysShown(false)}>
        <dl class="pairs">
          <dt>
            <kbd>?</kbd>
          </dt>
          <dd>{t('common.keyHelp')}</dd>
          <dt>
            <kbd>Esc</kbd>
          </dt>
          <dd>{t('common.keyClose')}</dd>
        </dl>
      </Dialog>
      <ConfirmDialog operator={session.role === 'operator'} hasPasskey={session.hasPasskey} />
      <OtherSignIn />
      <Toasts />
    </div>
  );
}

/** The dialog for sign-in links is loaded when one is opened, because hardly anybody does. */
function OtherSignIn() {
  const [code] = useLinkCode();
  const [Asking, setAsking] = useState<ComponentType>();
  useEffect(() => {
    if (code !== undefined) void import('./other-sign-in.tsx').then((loaded) => setAsking(() => loaded.OtherSignIn));
  }, [code]);
  return Asking ? <Asking /> : null;
}

/** A page's name in the menu. */
export function navText(page: PageRoute['page']): string {
  return findText('common', `nav-${page}`) ?? page;
}

function Menu({ routes, onGo }: { routes: readonly PageRoute[]; onGo?: () => void }) {
  return (
    <>
      {groups.map((group) => {
        const inGroup = routes.filter((route) => route.group === group);
        if (inGroup.length === 0) return null;
        return (
          <div key={group} class="nav-group">
            <p id={`nav-${group}`}>{t(`common.${group}`)}</p>
            <ul aria-labelledby={`nav-${group}`}>
              {inGroup.map((route) => (
                <li key={route.page}>
                  <NavLink route={route} {...(onGo && { onGo })} />
                </li>
              ))}
            </ul>
          </div>
        );
      })}
    </>
  );
}

function NavLink({ route, short = false, onGo }: { route: PageRoute; short?: boolean; onGo?: () => void }) {
  const [path] = useLocation();
  const [own] = route.paths;
  const current = own === '/' ? path === '/' : path === own || path.startsWith(`${own}/`);
  return (
    <Link href={own} {...(current && { 'aria-current': 'page' as const })} {...(onGo && { onClick: onGo })}>
      {(short && findText('common', `bar-${route.page}`)) || navText(route.page)}
    </Link>
  );
}

function BottomBar({ routes }: { routes: readonly PageRoute[] }) {
  const [open, setOpen] = useState(false);
  return (
    <nav class="bar" aria-label={t('common.menu')}>
      {routes
        .filter(({ bar }) => bar)
        .map((route) => (
          <NavLink key={route.page} route={route} short />
        ))}
      <button type="button" aria-expanded={open} onClick={() => setOpen(true)}>
        {t('common.more')}
      </button>
      <Dialog title={t('common.menu')} open={open} onClose={() => setOpen(false)}>
        <Menu routes={routes} onGo={() => setOpen(false)} />
      </Dialog>
    </nav>
  );
}

/** `?` anywhere except in text inputs. */
function useHelpKey(show: () => void): void {
  const latest = useRef(show);
  latest.current = show;
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => {
      const writes = event.target instanceof Element && event.target.closest('input, textarea, select');
      if (event.key === '?' && !writes) latest.current();
    };
    addEventListener('keydown', listen);
    return () => removeEventListener('keydown', listen);
  }, []);
}

export function Mark() {
  return (
    <svg class="mark" viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
      <rect width="32" height="32" rx="8" />
      <path d="M8 22V14m5.3 8V9.5M18.7 22v-6.5M24 22V11" />
    </svg>
  );
}
