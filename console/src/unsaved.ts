import { useEffect } from 'preact/hooks';
import type { AroundNavHandler } from 'wouter-preact';
import { t } from './i18n/index.ts';

/** The forms on the page with unsaved input. */
const unsaved = new Set<object>();

/** While `typed`, leaving the page would lose something, so the user is asked first. */
export function useUnsaved(typed: boolean): void {
  useEffect(() => {
    if (!typed) return;
    const form = {};
    unsaved.add(form);
    return () => {
      unsaved.delete(form);
    };
  }, [typed]);
}

let isStaying = false;

/** Makes a navigation that changes the address but keeps the forms, such as to another filter. */
export function staying(step: () => void): void {
  isStaying = true;
  try {
    step();
  } finally {
    isStaying = false;
  }
}

/** Wraps every navigation within the console. */
export const askBeforeLeaving: AroundNavHandler = (navigate, to, options) => {
  if (isStaying || mayLeave()) navigate(to, options);
};

/** Watches for leaving without a console link: reload, closing the window, back and forward. Must be called before the router listens. */
export function watchUnsaved(): void {
  let here = location.href;
  const keep = (): void => {
    here = location.href;
  };
  addEventListener('beforeunload', (event) => {
    if (unsaved.size > 0) event.preventDefault();
  });
  addEventListener(
    'popstate',
    (event) => {
      if (mayLeave()) return keep();
      // The browser has already navigated: the form's address becomes the newest again.
      event.stopImmediatePropagation();
      history.pushState(null, '', here);
    },
    { capture: true },
  );
  // The router's own events (wouter-preact/use-browser-location).
  for (const step of ['pushState', 'replaceState']) addEventListener(step, keep);
}

function mayLeave(): boolean {
  return unsaved.size === 0 || mayLose();
}

/** Asks whether unsaved input may be discarded. */
export function mayLose(): boolean {
  return confirm(t('common.unsaved'));
}
