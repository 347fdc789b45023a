import type { Logger } from 'pino';

/** The rooms that are open, each closed before those that it was opened over. */
export interface RoomStack {
  /** Takes a room that is open, to close it in its turn. */
  use<Room extends Closable>(room: Room): Room;
  /** The same, for a room with background work, which starts now. */
  start<Room extends Closable & { start(): void }>(room: Room): Room;
  /** Takes what else is to be done in its turn. */
  defer(close: () => unknown): void;
  /** Closes the rooms in reverse order. A room that fails to close does not keep the others open. */
  close(): Promise<void>;
}

interface Closable {
  close(): unknown;
}

export function createRoomStack(log: Logger): RoomStack {
  const closers: (() => unknown)[] = [];
  const defer = (close: () => unknown) => void closers.push(close);

  function use<Room extends Closable>(room: Room): Room {
    defer(() => room.close());
    return room;
  }

  return {
    use,
    start(room) {
      room.start();
      return use(room);
    },
    defer,
    async close() {
      for (const close of closers.splice(0).reverse())
        try {
          await close();
        } catch (error) {
          log.error({ err: error }, 'closing failed');
        }
    },
  };
}
