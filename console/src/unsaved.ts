import { useEffect } from 'preact/hooks';
import type { AroundNavHandler } from 'wouter-preact';
import { t } from './i18n/index.ts';

/** The forms on the page that hold what was typed and not kept. */
const unsaved = new Set<object>();

/** Says, while `typed`, that leaving the page would lose something: whoever leaves is asked. */
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

/** Takes a step that changes the address and leaves the forms where they are, such as to another filter. */
export function staying(step: () => void): void {
  isStaying = true;
  try {
    step();
  } finally {
    isStaying = false;
  }
}

/** Stands around every step within the console. */
export const askBeforeLeaving: AroundNavHandler = (navigate, to, options) => {
  if (isStaying || mayLeave()) navigate(to, options);
};

/** Watches for what no link of the console is: reload, closing the window, back and forward. To be called before the router listens. */
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
      // The browser has gone already: the address of the form becomes the newest again.
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

/** Asks whether what was typed may be lost. */
export function mayLose(): boolean {
  return confirm(t('common.unsaved'));
}
