import { systemClock } from '../base/clock.ts';
import { createMetrics } from '../metrics.ts';
import { openCallers } from './callers.ts';
import { openChat } from './chat.ts';
import { openFoundation } from './foundation.ts';
import { openModels } from './models.ts';
import { openMoney } from './money.ts';
import type { Opening, RoomsOptions } from './opening.ts';
import { createRoomStack } from './stack.ts';
import { openTelemetry } from './telemetry.ts';
import { openWorkflows } from './workflows.ts';

export type { RoomsOptions } from './opening.ts';

/** Everything below the edge, opened bottom to top. */
export type Rooms = Awaited<ReturnType<typeof openRooms>>;

/**
 * Opens the database, brings it up to date, and opens the rooms over it. Each part is given those before it, and closed before
 * them; if one fails to open, those before it are closed.
 */
export async function openRooms(options: RoomsOptions) {
  const stack = createRoomStack(options.log);
  const opening: Opening = { ...options, clock: systemClock, stack };
  try {
    const foundation = await openFoundation(opening);
    const metrics = createMetrics();
    const callers = await openCallers(opening, { ...foundation, metrics });
    const telemetry = openTelemetry(opening, { metrics });
    const money = await openMoney(opening, { ...foundation, ...telemetry });
    const models = await openModels(opening, { ...foundation, ...callers, ...telemetry });
    const chats = openChat(opening, { ...foundation, ...telemetry, ...money, ...models });
    const workflows = openWorkflows(opening, { ...foundation, ...money, ...models, ...chats });

    const { db, changes } = foundation;
    // `calling` is for the parts above it, and of no use to the edge.
    const { calling, ...catalogs } = models;
    return { db, changes, ...callers, ...telemetry, ...money, ...catalogs, ...chats, ...workflows, close: stack.close };
  } catch (error) {
    await stack.close();
    throw error;
  }
}
