let end: Promise<void> | undefined;

/**
 * Resolves when everything that has arrived by now has been looked at: at the end of the event loop's turn. Replies
 * that wait for it are written one right after the other, so their receiver wakes up once and not for each of them.
 */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) => {
    setImmediate(() => {
      end = undefined;
      resolve();
    });
  });
  return end;
}
