import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { Route, Switch } from 'wouter-preact';
import { loadTexts, t } from './i18n/index.ts';
import { loadedPage, loadPage, type PageRoute, routesOf } from './routes.tsx';
import { type Session, SessionProvider, useSessionQuery } from './session.tsx';
import { Shell } from './shell/shell.tsx';
import { Unserved } from './shell/unserved.tsx';
import { Skeleton } from './ui/async.tsx';
import { Banner } from './ui/banner.tsx';
import { Button } from './ui/button.tsx';
import { Page } from './ui/page.tsx';

/** The sign-in for strangers, at any address, and the page of the address for signed-in users. */
export function App() {
  const query = useSessionQuery();
  if (query.data === undefined && query.error)
    return <Unserved failure={query.error} retry={() => void query.refetch()} />;
  if (query.data === undefined)
    return (
      <main class="alone">
        <Skeleton lines={4} />
      </main>
    );
  if (query.data === null) return <Loaded load={loadSignIn} name="sign-in" />;
  return <SignedIn session={query.data} />;
}

function SignedIn({ session }: { session: Session }) {
  const routes = routesOf(session.role);
  return (
    <SessionProvider value={session}>
      <Shell routes={routes}>
        <Switch>
          {routes.flatMap((route) =>
            route.paths.map((path) => (
              <Route key={route.page} path={path}>
                <RoutePage route={route} />
              </Route>
            )),
          )}
          <Route>
            <NotFound />
          </Route>
        </Switch>
      </Shell>
    </SessionProvider>
  );
}

function RoutePage({ route }: { route: PageRoute }) {
  const { page } = route;
  return <Loaded key={page} name={page} there={() => loadedPage(page)} load={() => loadPage(page)} />;
}

async function loadSignIn(): Promise<ComponentType> {
  const [module] = await Promise.all([import('./pages/sign-in/index.tsx'), loadTexts('sign-in')]);
  return module.default;
}

interface LoadedProps {
  name: string;
  /** The component, if it is already loaded: it is then rendered at once. */
  there?: () => ComponentType | undefined;
  load: () => Promise<ComponentType>;
}

/** A component whose file is loaded when it is first shown. */
function Loaded({ name, there, load }: LoadedProps) {
  const [state, setState] = useState<{ name: string; Component?: ComponentType } | undefined>(() => {
    const Component = there?.();
    return Component && { name, Component };
  });
  useEffect(() => {
    if (state?.name === name) return;
    let stale = false;
    load().then(
      (Component) => !stale && setState({ name, Component }),
      () => !stale && setState({ name }),
    );
    return () => {
      stale = true;
    };
  }, [name]);
  if (state?.name !== name) return <Skeleton lines={8} />;
  return state.Component ? <state.Component /> : <LoadFailed />;
}

function LoadFailed() {
  return (
    <Banner
      kind="danger"
      title={t('common.pageFailed')}
      action={<Button onClick={() => location.reload()}>{t('common.reload')}</Button>}
    >
      {t('common.pageFailedHelp')}
    </Banner>
  );
}

function NotFound() {
  return (
    <Page title={t('common.notFound')} lead={t('common.notFoundHelp')}>
      <p>
        <a href="/console/">{t('common.toOverview')}</a>
      </p>
    </Page>
  );
}
