/** Does some work, and counts the turns of the event loop that it leaves to others. */
export async function countTurns<Result>(work: () => Promise<Result>): Promise<{ result: Result; turns: number }> {
  let turns = 0;
  let isOver = false;
  const watch = () => {
    turns += 1;
    if (!isOver) setImmediate(watch);
  };
  setImmediate(watch);
  const result = await work();
  isOver = true;
  return { result, turns };
}
