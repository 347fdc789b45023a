import { useEffect, useState } from 'preact/hooks';

let code: string | undefined;
const listeners = new Set<() => void>();

function keep(next: string | undefined): void {
  code = next;
  for (const listen of listeners) listen();
}

/** Takes the one-use code of a sign-in link (`#code=...`) out of the address at once, also where one is pasted into a page that is open. */
export function watchSignInLinks(): void {
  const take = (): void => {
    const found = new URLSearchParams(location.hash.slice(1)).get('code');
    if (found === null) return;
    history.replaceState(history.state, '', location.pathname + location.search);
    keep(found);
  };
  take();
  addEventListener('hashchange', take);
}

/** The code of a link that was opened, until it is forgotten. It is in memory alone. */
export function useLinkCode(): [code: string | undefined, forget: () => void] {
  const [shown, setShown] = useState(code);
  useEffect(() => {
    const listen = () => setShown(code);
    listeners.add(listen);
    listen();
    return () => {
      listeners.delete(listen);
    };
  }, []);
  return [shown, () => keep(undefined)];
}
