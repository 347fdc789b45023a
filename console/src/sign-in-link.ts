import { useEffect, useState } from 'preact/hooks';

let code: string | undefined;
const listeners = new Set<() => void>();

function keep(next: string | undefined): void {
  code = next;
  for (const listen of listeners) listen();
}

/** Removes the one-use code of a sign-in link (`#code=...`) from the address at once, even if one is pasted into an open page. */
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

/** The code of an opened link, until it is forgotten. It is only in memory. */
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
