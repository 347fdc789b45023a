/** Events as `bench:pulse` sends them: the same on every machine, except for their ids and the time of day. */
import type { IncomingEvent } from '../../src/pulse/index.ts';

export const batchSize = 1_000;
export const journeyName = 'listing-publish';
export const steps = ['details', 'photos', 'price', 'terms', 'payment', 'review', 'confirm'];
export const dayMs = 86_400_000;

export interface Traffic {
  /** Concurrent sessions; a batch has events of up to this many. */
  liveSessions: number;
  eventId: () => string;
  /** Share of events that are sent a batch later than their neighbours. */
  lateShare: number;
  /** The period over which the events happened, until now. */
  spanMs: number;
}

/** Names and how many values each has; a session keeps its values. */
export const properties = Object.entries({
  platform: 3,
  version: 12,
  country: 24,
  experiment: 2,
  browser: 6,
  plan: 4,
  channel: 8,
  device: 10,
});

export function propertiesOf(random: () => number): Record<string, string> {
  return Object.fromEntries(properties.map(([name, values]) => [name, `${name}-${Math.floor(random() * values)}`]));
}

/** Events of random sessions in chronological order, except for the late ones. */
export function* batchesOf(count: number, traffic: Traffic): Generator<IncomingEvent[]> {
  const random = seededRandom(7);
  const began = Date.now() - traffic.spanMs;
  const tick = traffic.spanMs / count;
  const live: { id: string; place: number; properties: Record<string, string> }[] = [];
  let sessions = 0;
  let late: IncomingEvent[] = [];
  let batch: IncomingEvent[] = [];
  for (let i = 0; i < count; i++) {
    const slot = Math.floor(random() * traffic.liveSessions);
    let session = live[slot];
    if (!session || session.place >= steps.length * 2 || random() < 0.03) {
      session = { id: `session-${sessions++}`, place: 0, properties: propertiesOf(random) };
      live[slot] = session;
    }
    const failed = random() < 0.04;
    const next: IncomingEvent = {
      id: traffic.eventId(),
      journey: journeyName,
      step: steps[session.place >> 1] ?? 'confirm',
      kind: failed ? 'error' : session.place % 2 === 0 ? 'entered' : 'completed',
      sessionId: session.id,
      userId: `user-${slot}`,
      occurredAt: new Date(began + i * tick).toISOString(),
      ...(failed ? { error: { code: `E${Math.floor(random() * 20)}`, message: 'It did not work.' } } : {}),
      properties: { ...session.properties, attempt: session.place },
    };
    if (!failed) session.place++;
    if (random() < traffic.lateShare) late.push(next);
    else batch.push(next);
    if (batch.length + late.length >= batchSize) {
      yield batch;
      batch = late;
      late = [];
    }
  }
  yield [...batch, ...late];
}

/** mulberry32: a small generator whose sequence is the same on every machine. */
export function seededRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
