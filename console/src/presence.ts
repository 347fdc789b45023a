import { focusManager } from '@tanstack/preact-query';

/** Without input for this long, the page stops polling, so that an unused session ends. */
const idleMs = 5 * 60_000;
const hands = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/**
 * Watches for user input. Each request of the page counts as use of the session, so polling would keep it alive for ever on an abandoned screen.
 * Polling stops after five minutes without input, as in a hidden tab, and resumes with the next.
 */
export function watchPresence(): void {
  let timer: ReturnType<typeof setTimeout>;
  let at = '';
  const hand = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => focusManager.setFocused(false), idleMs);
    focusManager.setFocused(undefined);
  };
  const listen = (event: Event): void => {
    // A browser may report a still pointer when the page moves below it.
    if (event.type === 'pointermove') {
      const { screenX, screenY } = event as PointerEvent;
      if (at === `${screenX} ${screenY}`) return;
      at = `${screenX} ${screenY}`;
    }
    hand();
  };
  for (const type of hands) addEventListener(type, listen, { capture: true, passive: true });
  hand();
}

/** Whether the page is visible and somebody has used it lately. Everything that polls asks this first. */
export function isSomebodyHere(): boolean {
  return focusManager.isFocused();
}
