/**
 * Pulse over gRPC, with the client that is generated from proto/intelligence/pulse/v1.
 *
 *   BASE_URL=http://127.0.0.1:8080 API_KEY=ik_live_... node examples/pulse-grpc.ts
 */
import { randomUUID } from 'node:crypto';
import { createClient } from '@connectrpc/connect';
import { createGrpcTransport } from '@connectrpc/connect-node';
import { PulseService } from '../src/gen/intelligence/pulse/v1/pulse_service_pb.ts';

const transport = createGrpcTransport({
  baseUrl: process.env.BASE_URL ?? 'http://127.0.0.1:8080',
  interceptors: [
    (next) => (call) => {
      call.header.set('authorization', `Bearer ${process.env.API_KEY}`);
      return next(call);
    },
  ],
});
const pulse = createClient(PulseService, transport);

const event = {
  id: randomUUID(),
  journey: 'listing-publish',
  step: 'photos',
  kind: 'entered',
  sessionId: randomUUID(),
  occurredAt: new Date().toISOString(),
};
// A bad event is listed with its place and loses nothing else.
const { accepted, rejected, costUsd } = await pulse.recordEvents({ events: [event, { ...event, id: '' }] });
console.log('recorded', { accepted, costUsd, rejected: rejected.map(({ index, reason }) => ({ index, reason })) });

for (const { journey, sessionsLast30Days } of (await pulse.listJourneys({})).journeys) {
  const { report } = await pulse.getJourneyReport({ journey });
  console.log('journey', { journey, sessionsLast30Days, conversion: report?.totals?.conversion, goal: report?.goal });
}
