/**
 * Pulse over JSON: record what happened to an end user, then ask where users stall and where errors occur.
 *
 *   BASE_URL=http://127.0.0.1:8080 API_KEY=ik_live_... node examples/pulse-rest.ts
 *
 * The key stays on a server. Applications send events with a short-lived token instead (POST /v1/tokens, scope `pulse`).
 */
import { randomUUID } from 'node:crypto';

const baseUrl = process.env.BASE_URL ?? 'http://127.0.0.1:8080';
const headers = { authorization: `Bearer ${process.env.API_KEY}`, 'content-type': 'application/json' };

const session = { journey: 'listing-publish', sessionId: randomUUID(), userId: 'customer-4711' };
const secondsAgo = (seconds: number) => new Date(Date.now() - seconds * 1_000).toISOString();
const events = [
  { id: randomUUID(), ...session, step: 'photos', kind: 'entered', occurredAt: secondsAgo(90) },
  { id: randomUUID(), ...session, step: 'photos', kind: 'completed', occurredAt: secondsAgo(40) },
  { id: randomUUID(), ...session, step: 'payment', kind: 'entered', occurredAt: secondsAgo(40) },
  {
    id: randomUUID(),
    ...session,
    step: 'payment',
    kind: 'error',
    occurredAt: secondsAgo(10),
    error: { code: 'CARD_DECLINED', message: 'The bank refused the card.' },
  },
];

// The same ids may be sent again, after a time-out for example: each counts once and is charged once.
const recorded = await fetch(`${baseUrl}/v1/pulse/events`, {
  method: 'POST',
  headers,
  body: JSON.stringify({ events }),
});
console.log('recorded', recorded.status, await recorded.json());

const query = new URLSearchParams({ from: secondsAgo(7 * 86_400), groupBy: 'day' });
const report = await fetch(`${baseUrl}/v1/pulse/journeys/listing-publish/report?${query}`, { headers });
const { funnel, errors, nextBestAction } = (await report.json()) as Record<string, unknown>;
console.log('report', report.status, { funnel, errors, nextBestAction });
