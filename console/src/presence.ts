import { focusManager } from '@tanstack/preact-query';

/** Without a hand on the page for so long, it asks for nothing by itself: a session that nobody uses ends. */
const idleMs = 5 * 60_000;
const hands = ['pointerdown', 'pointermove', 'keydown', 'wheel'] as const;

/**
 * Watches for somebody at the page. Each request of the page counts as use of the session, so reads that repeat would keep it for ever on a
 * screen that was left. They stop after five minutes without a hand, as they do in a hidden tab, and go on with the next touch.
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
    // A browser may tell of a pointer that lies still, when the page moves below it.
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

/** Whether somebody looks at the page and has had a hand on it lately. What repeats by itself asks this before. */
export function isSomebodyHere(): boolean {
  return focusManager.isFocused();
}
